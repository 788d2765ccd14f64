/**
 * The entry of the threads that parse files. A thread has a limit of memory, and is ended if a file takes too long.
 *
 * @module
 */
import { setImmediate as afterEvents } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { reasonOf } from '../formats/inner-problem.ts';
import { parseFile } from './parse-file.ts';
import type { ParsedFile, ParseRequest } from './parse-message.ts';

/** The first error of the current file for which a library has no handler. */
let unhandled: unknown;
// The library for PDF starts work that it does not wait for. Such an error must not end the thread, which has the text.
process.on('unhandledRejection', (error) => {
  unhandled ??= error;
});

parentPort?.on('message', async (request: ParseRequest) => {
  unhandled = undefined;
  try {
    const parsed = await parseFile(request);
    // Node reports a rejection after all other steps of the promises.
    await afterEvents();
    const damaged =
      unhandled === undefined ? {} : { problem: { kind: 'damaged', message: reasonOf(unhandled) } as const };
    parentPort?.postMessage({ ...damaged, ...parsed } satisfies ParsedFile);
  } catch (error) {
    // Ends the thread, so that the stage gets the error.
    setImmediate(() => {
      throw error;
    });
  }
});
