import { TESTS } from './pipeline-tests.ts';

/** Sections that every config may have in addition to the blocks of the engine and of indexers. */
export const SECTIONS: readonly string[] = ['connectors', 'pipelines', 'indexer', TESTS];
