import { type BatchBytes, type DeliveryFailure, NO_ANSWER, type Reply } from '@headrace/engine';
import { createRequest, idsOf, TargetNames } from './create-actions.ts';

/** What the requests of a batch need from their writer. */
export interface StreamWriter {
  /** Whether any data stream is known. */
  hasStreams(): boolean;
  isStream(name: string): boolean;
  /** Remembers that a name is a data stream. */
  addStream(name: string): void;
  /** Returns which of these ids a data stream already has, or a refusal. */
  existing(stream: string, ids: readonly string[]): Promise<ReadonlySet<string> | Reply>;
  /**
   * Sends a body with these documents of the batch.
   * @param isUnsure whether an earlier request may have written the document with this number in the body
   */
  send(body: Buffer, positions: readonly number[], isUnsure?: (i: number) => boolean): Promise<Reply>;
  /** Why no document can be written to a data stream; undefined if there is no reason. */
  readonly why: string | undefined;
}

/** How OpenSearch and Elasticsearch refuse a document for a data stream that the request does not create. */
const NOT_CREATED = 'only write ops with an op_type of create are allowed in data streams';

/**
 * Sends the documents of a batch, some or all of which may go to data streams. No request asks which names are data
 * streams: one refuses every write that is not `create`, and writes nothing. Such documents are then sent again. So
 * ordinary indices cost no request, and no permission to ask is needed.
 *
 * A data stream keeps an id unique only within its newest index, which a rollover replaces. So before documents are sent
 * again whose request had no answer, the data stream is asked for their ids. If it has one, that request has written it,
 * or an earlier run: this cannot be known, so the document counts as written.
 */
export class StreamRequests {
  readonly #bytes: BatchBytes;
  readonly #writer: StreamWriter;
  readonly #names: TargetNames;
  /** The documents that a request without an answer may have written. */
  readonly #unsure = new Set<number>();

  constructor(bytes: BatchBytes, writer: StreamWriter) {
    this.#bytes = bytes;
    this.#writer = writer;
    this.#names = new TargetNames(bytes);
  }

  async request(positions: readonly number[]): Promise<Reply> {
    const reply = await this.#send(positions);
    if ('refused' in reply || reply.items.size === 0) return reply;
    const again = positions.filter((_, i) => isNotCreated(reply.items.get(i)));
    if (again.length === 0) return reply;
    for (const position of again) this.#writer.addStream(this.#names.of(position));
    const second = await this.#send(again);
    const failureOf = (i: number) => ('refused' in second ? second.refused : second.items.get(i));
    const secondFailures = new Map(again.map((position, i) => [position, failureOf(i)]));
    return itemsOf(positions, (position, i) =>
      secondFailures.has(position) ? secondFailures.get(position) : reply.items.get(i),
    );
  }

  async #send(positions: readonly number[]): Promise<Reply> {
    if (!this.#writer.hasStreams()) return this.#writer.send(this.#bytes.join(positions), positions);
    const written = await this.#written(positions.filter((position) => this.#unsure.has(position)));
    if ('refused' in written) return written;
    const open = written.size === 0 ? positions : positions.filter((position) => !written.has(position));
    const streamOf = (position: number) => this.#streamOf(position);
    const { body, sent, refused } = createRequest(this.#bytes, open, streamOf, this.#writer.why);
    const reply: Reply =
      sent.length === 0
        ? { items: new Map() }
        : await this.#writer.send(body, sent, (i) => this.#unsure.has(sent[i] as number));
    if ('refused' in reply) {
      if (isUnsure(reply.refused.status)) {
        for (const position of sent) if (streamOf(position) !== undefined) this.#unsure.add(position);
      }
      return reply;
    }
    const failures = new Map(refused);
    for (const [i, failure] of reply.items) failures.set(sent[i] as number, failure);
    return itemsOf(positions, (position) => failures.get(position));
  }

  #streamOf(position: number): string | undefined {
    const name = this.#names.of(position);
    return this.#writer.isStream(name) ? name : undefined;
  }

  /** Returns which documents an earlier request has written, although its answer was lost. */
  async #written(positions: readonly number[]): Promise<ReadonlySet<number> | { refused: RefusalOf }> {
    const written = new Set<number>();
    if (positions.length === 0) return written;
    const ids = idsOf(this.#bytes, positions);
    for (const [stream, some] of Map.groupBy(positions, (position) => this.#names.of(position))) {
      const existing = await this.#writer.existing(
        stream,
        some.map((position) => ids.get(position) as string),
      );
      if ('refused' in existing) return existing;
      if ('items' in existing) continue;
      for (const position of some) if (existing.has(ids.get(position) as string)) written.add(position);
    }
    return written;
  }
}

type RefusalOf = Extract<Reply, { refused: unknown }>['refused'];

/** Returns the reply with the failures of some documents. */
function itemsOf(
  positions: readonly number[],
  failureOf: (position: number, i: number) => DeliveryFailure | undefined,
): Reply {
  const items = positions.flatMap((position, i) => {
    const failure = failureOf(position, i);
    return failure === undefined ? [] : [[i, failure] as const];
  });
  return { items: new Map(items) };
}

/** Returns whether a request with this status may have written documents. */
function isUnsure(status: number): boolean {
  return status === NO_ANSWER || status >= 500;
}

/**
 * Returns whether a document failed because it was not sent with `create`. The data stream may be known meanwhile:
 * several requests are in flight.
 */
function isNotCreated(failure: DeliveryFailure | undefined): boolean {
  return failure?.message.includes(NOT_CREATED) === true;
}
