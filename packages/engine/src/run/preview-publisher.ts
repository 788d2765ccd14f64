import { Decoders, decodeChecked } from '../batch/decoders.ts';
import type { Publisher, RecordChunk, RecordNotice, RejectedRecord } from '../component/connector.ts';
import { PublisherCalls } from '../component/published.ts';
import type { Document } from '../document/document.ts';
import type { Notices } from '../notices/notice.ts';
import type { NoticeCode } from '../notices/notice-table.ts';

/** A document or a rejected record of a connector. */
export type Previewed = { readonly document: Document } | { readonly rejected: RejectedRecord };

/**
 * Passes on the documents of a connector for a preview, one at a time. It has the checks of a run, so that a preview shows
 * the mistakes with which a run would fail.
 */
export class PreviewPublisher implements Publisher {
  readonly signal: AbortSignal;
  readonly #notices: Notices;
  readonly #add: (previewed: Previewed) => void;
  readonly #calls = new PublisherCalls();
  readonly #decoders = new Decoders();
  /** The end of the chunks so far. The connector need not await each of them. */
  #decoded: Promise<void> = Promise.resolve();

  /** @param notices the notices of the connector */
  constructor(signal: AbortSignal, notices: Notices, add: (previewed: Previewed) => void) {
    this.signal = signal;
    this.#notices = notices;
    this.#add = add;
  }

  publish(document: Document): undefined {
    this.#calls.publish(document);
    this.#add({ document });
  }

  publishChunk(chunk: RecordChunk): Promise<void> {
    try {
      this.#calls.publishChunk(chunk);
    } catch (error) {
      return Promise.reject(error);
    }
    // The connector may use the memory of the bytes again.
    const bytes = new Uint8Array(chunk.bytes);
    this.#decoded = this.#decoded.then(() => this.#decode({ ...chunk, bytes }));
    // `close` throws the error of a call that the connector does not await.
    this.#decoded.catch(() => undefined);
    return this.#decoded;
  }

  reject(rejected: RejectedRecord): undefined {
    this.#calls.reject(rejected);
    this.#add({ rejected });
  }

  async settled(): Promise<void> {
    await this.#decoded;
  }

  /** Ends the calls of a connector that has ended, after those that it did not await. */
  async close(): Promise<void> {
    await this.#decoded;
    this.#calls.close();
  }

  /** Throws if the connector called the publisher after its end. */
  checkLate(): void {
    this.#calls.checkLate();
  }

  async #decode(chunk: RecordChunk): Promise<void> {
    decodeChecked(await this.#decoders.get(chunk.decoder), chunk, {
      document: (document) => this.#add({ document }),
      reject: (rejected) => this.#add({ rejected }),
      warn: () => undefined,
      notice: (code: string, details?: RecordNotice) => this.#notices.report(code as NoticeCode, details),
    });
  }
}
