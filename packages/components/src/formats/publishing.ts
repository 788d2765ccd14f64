import { messageOf, type Publisher } from '@headrace/engine';

/** An error of publishing or of the state: the run cannot continue with any file. */
export class PublishingFailed extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Errors of publishing are distinguished from errors of reading. */
export async function publishing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof PublishingFailed ? error : new PublishingFailed(error);
  }
}

/** A publisher for formats that distinguishes its errors from those of files. */
export function watched(publisher: Publisher): Publisher {
  return {
    signal: publisher.signal,
    publish: (document) => publishing((async () => publisher.publish(document))()),
    publishChunk: (chunk) => publishing(publisher.publishChunk(chunk)),
    reject: (record) => publishing((async () => publisher.reject(record))()),
    settled: () => publisher.settled(),
  };
}
