/**
 * The entry of the threads that parse files. A thread has a limit of memory, and is ended if a file takes too long.
 *
 * @module
 */
import { parentPort } from 'node:worker_threads';
import { parseFile } from './parse-file.ts';
import type { ParseRequest } from './parse-message.ts';

parentPort?.on('message', async (request: ParseRequest) => {
  const parsed = await parseFile(request);
  parentPort?.postMessage(parsed);
});
