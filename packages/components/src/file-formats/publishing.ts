import { contractError, kindOf, messageOf, type Publisher } from '@headrace/engine';
import type { SourceFile } from './byte-source.ts';
import type { FileFormat } from './handlers/file-handler.ts';

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

/** Publishes the records of a file. Throws `HR_COMPONENT_CONTRACT` if the format of a plugin does not say when it ends. */
export async function publishFile(format: FileFormat, file: SourceFile, publisher: Publisher): Promise<void> {
  const work: unknown = format.publish(file, publisher);
  // Otherwise the file would count as read before its records are published.
  if (typeof (work as PromiseLike<unknown> | undefined)?.then !== 'function') {
    throw contractError(`publish() of a file format returned ${kindOf(work)}, not a promise`, 'Make it async.');
  }
  await work;
}
