import { messageOf, type Publisher } from '@headrace/engine';

/** What publishing or the state threw: the run cannot go on, whichever file it was. */
export class PublishingFailed extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** What publishing throws is told apart from what reading throws. */
export async function publishing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof PublishingFailed ? error : new PublishingFailed(error);
  }
}

/** A publisher for formats, whose own errors are told apart from those of files. */
export function watched(publisher: Publisher): Publisher {
  return {
    signal: publisher.signal,
    publish: (document) => publishing((async () => publisher.publish(document))()),
    publishChunk: (chunk) => publishing(publisher.publishChunk(chunk)),
    reject: (record) => publishing((async () => publisher.reject(record))()),
    settled: () => publisher.settled(),
  };
}
