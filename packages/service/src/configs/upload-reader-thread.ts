import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, Registry, type RegistrySource } from '@headrace/engine';
import { checkUpload, readUpload } from './check-upload.ts';
import type { ReaderAnswer, ReaderJob } from './upload-reader.ts';

// The thread that large uploads are read in: one at a time.
const registry = Registry.open(workerData as RegistrySource);

parentPort?.on('message', async ({ kind, text, format }: ReaderJob) => {
  let answer: ReaderAnswer;
  try {
    const result = kind === 'read' ? readUpload(text, format) : await checkUpload(text, format, await registry);
    answer = { result };
  } catch (error) {
    answer = { error: messageOf(error) };
  }
  parentPort?.postMessage(answer);
});
