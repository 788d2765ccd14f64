import { hash } from 'node:crypto';
import type { ModuleReference, Publisher } from '@headrace/engine';
import { formatInstant } from '@headrace/languages/java/date';
import { FileDecoder, type FileFacts, type FilesPosition } from './file-decoder.ts';

/** Files are sent to the pipeline in chunks of about this size, in bytes. */
const PIECE_BYTES = 1024 * 1024;
/** The content of a larger file is sent in the buffer that it was read into, without a copy. */
const ALONE_BYTES = 256 * 1024;

/** The first chunk has this many files, the next up to twice as many, …: threads share few files of a slow stage. */
const FIRST_FILES = 4;

/** A file that becomes a single document. */
export interface PlainFile {
  /** The full path, a URI. */
  readonly path: string;
  readonly size: number;
  /** The time of modification, in nanoseconds since the epoch. */
  readonly modified: bigint;
  readonly created: bigint | undefined;
}

export interface FileBatchesOptions {
  readonly publisher: Publisher;
  readonly docIdPrefix: string;
  /** How many files are read concurrently, at most. */
  readonly together: number;
}

/** Called with the result of a file: without an argument if it was published, with the error if it was not. */
export type WhatBecame = (error?: unknown) => Promise<void> | void;

interface Slot {
  readonly file: PlainFile;
  readonly content: Promise<Uint8Array | { readonly error: unknown }> | undefined;
  readonly became: WhatBecame;
}

/** Publishes files as documents, in order, with many files in one chunk. The files of a chunk are read concurrently. */
export class FileBatches {
  readonly #options: FileBatchesOptions;
  readonly #decoder: ModuleReference = FileDecoder.reference();
  #filling: Slot[] = [];
  #fillingBytes = 0;
  #full = FIRST_FILES;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: FileBatchesOptions) {
    this.#options = options;
  }

  /**
   * Accepts a file. Rejects if publishing fails; a failure to read the file is reported to `became`.
   * @param content reads the file, called immediately; undefined: the document has no content
   * @param became called when the file was passed to the publisher, or could not be read
   */
  async add(file: PlainFile, content: (() => Promise<Uint8Array>) | undefined, became: WhatBecame): Promise<void> {
    // A read may fail before it is awaited: the rejection is caught now, or Node would report it as unhandled.
    this.#filling.push({ file, content: content?.().catch((error: unknown) => ({ error })), became });
    this.#fillingBytes += content === undefined ? 0 : file.size;
    if (this.#filling.length >= this.#full || this.#fillingBytes >= PIECE_BYTES) await this.#send();
  }

  /** Publishes the files that are waiting. */
  async flush(): Promise<void> {
    await this.#send();
    await this.#sending;
  }

  /** Starts to send the waiting files after the previous chunk was sent: one chunk is filled while another is read. */
  async #send(): Promise<void> {
    const slots = this.#filling;
    this.#filling = [];
    this.#fillingBytes = 0;
    this.#full = Math.min(this.#full * 2, this.#options.together);
    await this.#sending;
    this.#sending = this.#sendSlots(slots);
    // The next call awaits this promise and throws the error. Until then Node must not see an unhandled rejection.
    this.#sending.catch(() => undefined);
  }

  async #sendSlots(slots: readonly Slot[]): Promise<void> {
    const published: Slot[] = [];
    const contents: Uint8Array[] = [];
    const withContent = slots.some(({ content }) => content !== undefined);
    for (const slot of slots) {
      const content = await slot.content;
      if (content !== undefined && 'error' in content) {
        await slot.became(content.error);
        continue;
      }
      published.push(slot);
      if (content !== undefined) contents.push(content);
    }
    if (published.length === 0) return;
    const position: FilesPosition = {
      files: published.map(({ file }) => this.#factsOf(file)),
      lengths: withContent ? contents.map(({ length }) => length) : undefined,
    };
    const bytes = together(contents);
    const { publisher } = this.#options;
    await publisher.publishChunk({ bytes, decoder: this.#decoder, position, documents: published.length });
    for (const { became } of published) await became();
  }

  #factsOf({ path, size, modified, created }: PlainFile): FileFacts {
    return {
      id: idOfPath(path, this.#options.docIdPrefix),
      path,
      size,
      modified: instantText(modified),
      created: created === undefined ? undefined : instantText(created),
    };
  }
}

/** Returns the document id of a file. */
export function idOfPath(path: string, docIdPrefix: string): string {
  return docIdPrefix + hash('md5', path);
}

/**
 * Formats a time as ISO text.
 * @param instant nanoseconds since the epoch
 */
export function instantText(instant: bigint): string {
  const nanos = ((instant % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return formatInstant(Number((instant - nanos) / 1_000_000_000n), Number(nanos));
}

/** Concatenates the contents in a buffer that may be transferred to another thread. */
function together(contents: readonly Uint8Array[]): Uint8Array {
  const [first] = contents;
  // A small Buffer shares its memory with others (the pool of Node), so it cannot be transferred.
  if (contents.length === 1 && first !== undefined && first.length > ALONE_BYTES) return first;
  const bytes = new Uint8Array(contents.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  return bytes;
}
