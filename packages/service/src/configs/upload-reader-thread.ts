import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, Registry, type RegistrySource } from '@headrace/engine';
import { ApiError } from '../errors/api-error.ts';
import type { ServiceErrorCode } from '../errors/service-error-codes.ts';
import { perform, type ReaderJob } from './reader-jobs.ts';
import type { ReaderAnswer, SentApiError } from './upload-reader.ts';

// The entry point of the thread that reads large uploads, one at a time.
const registry = await Registry.open(workerData as RegistrySource);

parentPort?.on('message', async (job: ReaderJob) => {
  let answer: ReaderAnswer;
  try {
    answer = { result: await perform(job, registry) };
  } catch (error) {
    answer = error instanceof ApiError ? { refusal: sent(error) } : { error: messageOf(error) };
  }
  parentPort?.postMessage(answer);
});

// The first message: the thread is ready.
parentPort?.postMessage(undefined);

/** Converts an error to a message for the other thread. Its class is lost between threads, so its fields are sent. */
function sent({ code, message, hint }: ApiError): SentApiError {
  return { code: code as ServiceErrorCode, message, ...(hint === undefined ? {} : { details: { hint } }) };
}
