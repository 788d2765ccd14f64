import { messageOf, type Publisher } from '@headrace/engine';

/** An error of the publisher or of the state of the run. It ends the run, because no other file could be published. */
export class PublishingFailed extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Wraps errors of publishing in `PublishingFailed`, to distinguish them from errors of reading a file. */
export async function publishing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof PublishingFailed ? error : new PublishingFailed(error);
  }
}

/** Returns a publisher for formats that wraps its errors in `PublishingFailed`. */
export function watched(publisher: Publisher): Publisher {
  return {
    signal: publisher.signal,
    publish: (document) => publishing((async () => publisher.publish(document))()),
    publishChunk: (chunk) => publishing(publisher.publishChunk(chunk)),
    reject: (record) => publishing((async () => publisher.reject(record))()),
    settled: () => publisher.settled(),
  };
}
