import { threadId } from 'node:worker_threads';
import { LanceProcess } from '../../../plugins/vector-stores/dist/lancedb/lance-process.js';

const VECTOR = Array.from({ length: 64 }, (_, i) => i);

/** Opens a table of the database in this folder, and returns a function that writes to it. */
export async function open(folder) {
  const columns = { vectorField: 'v', dimensions: VECTOR.length, fields: new Map() };
  const settings = { uri: folder, table: `t${threadId}`, vectorField: 'v', storageOptions: {}, columns };
  const table = await LanceProcess.open(settings);
  return async (call) => {
    const rows = Array.from({ length: 2000 }, (_, i) => JSON.stringify({ id: `${call}-${i}`, v: VECTOR }));
    const { refused } = await table.upload(rows.map((row) => Buffer.from(row)));
    if (refused !== undefined) throw new Error(refused.message);
  };
}
