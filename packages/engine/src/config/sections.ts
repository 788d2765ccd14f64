import { TESTS } from './pipeline-tests.ts';

/** Top-level keys that every config may have, in addition to the blocks of the engine and of the indexers. */
export const SECTIONS: readonly string[] = ['connectors', 'pipelines', 'indexer', TESTS];
