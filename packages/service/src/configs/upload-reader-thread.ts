import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, Registry, type RegistrySource } from '@headrace/engine';
import { Refusal } from '../errors/refusal.ts';
import type { ServiceErrorCode } from '../errors/service-error-codes.ts';
import { perform, type ReaderJob } from './reader-jobs.ts';
import type { ReaderAnswer, ReaderRefusal } from './upload-reader.ts';

// The thread that large uploads are read in: one at a time.
const registry = Registry.open(workerData as RegistrySource);

parentPort?.on('message', async (job: ReaderJob) => {
  let answer: ReaderAnswer;
  try {
    answer = { result: await perform(job, await registry) };
  } catch (error) {
    answer = error instanceof Refusal ? { refusal: told(error) } : { error: messageOf(error) };
  }
  parentPort?.postMessage(answer);
});

/** Errors of our own lose their class on the way between threads. */
function told({ code, message, hint }: Refusal): ReaderRefusal {
  return { code: code as ServiceErrorCode, message, ...(hint === undefined ? {} : { details: { hint } }) };
}
