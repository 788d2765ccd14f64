import { readFileSync } from 'node:fs';
import { configOf, type RunHarness } from './run-harness.ts';

let files = 0;

/** Parts of a config, and options of the indexer of that config. */
export type RecordedParts = Parameters<typeof configOf>[0] & { options?: string };

/** Returns a config whose indexer writes a line for each batch, and a function that reads the lines. */
export function recorded(harness: RunHarness, parts: RecordedParts) {
  const path = `${harness.directory}/batches-${++files}`;
  const config = configOf({
    ...parts,
    indexer: `class: BatchFileIndexer, ${parts.indexer ?? ''}`,
    rest: `batchfile { path: "${path}", ${parts.options ?? ''} }\n${parts.rest ?? ''}`,
  });
  const batches = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '));
  return { config, batches, ids: () => batches().flat() };
}

/** Returns the ids of the first documents of `SequenceConnector`. */
export const firstIds = (count: number) => Array.from({ length: count }, (_, i) => String(i));
