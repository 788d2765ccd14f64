import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, Registry, type RegistrySource } from '@headrace/engine';
import { perform, type ReaderJob } from './reader-jobs.ts';
import type { ReaderAnswer } from './upload-reader.ts';

// The thread that large uploads are read in: one at a time.
const registry = Registry.open(workerData as RegistrySource);

parentPort?.on('message', async (job: ReaderJob) => {
  let answer: ReaderAnswer;
  try {
    answer = { result: await perform(job, await registry) };
  } catch (error) {
    answer = { error: messageOf(error) };
  }
  parentPort?.postMessage(answer);
});
