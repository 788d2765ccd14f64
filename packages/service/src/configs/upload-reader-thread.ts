import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, Registry, type RegistrySource } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ServiceErrorCode } from '../errors/service-error-codes.ts';
import { perform, type ReaderJob } from './reader-jobs.ts';
import type { ReaderAnswer, SentApiError } from './upload-reader.ts';

// The thread that large uploads are read in: one at a time.
const registry = Registry.open(workerData as RegistrySource);

parentPort?.on('message', async (job: ReaderJob) => {
  let answer: ReaderAnswer;
  try {
    answer = { result: await perform(job, await registry) };
  } catch (error) {
    answer = error instanceof ApiError ? { refusal: told(error) } : { error: messageOf(error) };
  }
  parentPort?.postMessage(answer);
});

/** Errors of our own lose their class on the way between threads. */
function told({ code, message, hint }: ApiError): SentApiError {
  return { code: code as ServiceErrorCode, message, ...(hint === undefined ? {} : { details: { hint } }) };
}
