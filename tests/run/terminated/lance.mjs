import { threadId } from 'node:worker_threads';
import { LanceDBIndexer } from '@headrace/vector-stores';

const VECTOR = Array.from({ length: 64 }, (_, i) => i);
const COUNT = 2000;

/** Opens a table of the database in this folder, and returns a function that writes to it. */
export async function open(folder) {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const params = { path: folder, table: `t${threadId}`, vectorField: 'v', dimensions: VECTOR.length };
  const indexer = new LanceDBIndexer(params, { runId: 'run', log, settings: {} });
  await indexer.connect();
  return async (call) => {
    const failures = await indexer.send(batchOf(call), new AbortController().signal);
    if (failures.length > 0) throw new Error(JSON.stringify(failures[0]));
  };
}

/** Returns a batch as the encoder of the indexer writes it: for each document a line with its id, and its JSON. */
function batchOf(call) {
  const ids = Array.from({ length: COUNT }, (_, i) => `${call}-${i}`);
  const pieces = ids.map((id) => Buffer.from(`{"id":"${id}"}\n${JSON.stringify({ id, v: VECTOR })}\n`));
  const lengths = Uint32Array.from(pieces, ({ length }) => length);
  return { count: COUNT, pieces, lengths: () => lengths, ids: () => ids, pipeline: 'p', origins: () => [] };
}
