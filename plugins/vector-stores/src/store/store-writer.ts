import {
  BatchBytes,
  Delivery,
  type DeliveryFailure,
  type DocumentKey,
  FamilyDelivery,
  type Reply,
  RequestSize,
  type Retries,
} from 'headrace/delivery';
import type { EncodedBatch, Family, IndexFailure } from 'headrace/engine';

/** A part of a vector store that documents are written to, such as a collection or a namespace. */
export interface StoreTarget {
  /** Writes objects in one request. */
  upload(objects: readonly Uint8Array[]): Promise<Reply>;
  /** Deletes documents. A document that does not exist is no failure. */
  remove(ids: readonly string[]): Promise<Reply>;
  /** Deletes the documents whose field is the parent of a family, and that are not among its children. */
  removeChildren(families: readonly Family[], field: string): Promise<Reply>;
}

const LINE_END = 10;

/**
 * Writes batches to a store. Line n + 2 of a document is its object for target n. If a batch has several versions of a
 * document, only the last one is sent: the earlier ones would be replaced.
 */
export class StoreWriter {
  readonly #targets: readonly StoreTarget[];
  readonly #uploads: readonly Delivery[];
  readonly #deletes: Delivery;
  readonly #families: FamilyDelivery;
  readonly #childrenField: string | undefined;
  readonly #http: boolean;

  /**
   * @param maxBytes the size of the largest request that the store accepts
   * @param childrenField the field with the id of the parent, if old children are deleted
   * @param http false if the statuses of replies are not HTTP statuses
   */
  constructor(
    targets: readonly StoreTarget[],
    retries: Retries,
    {
      maxBytes,
      childrenField,
      http = true,
    }: { readonly maxBytes?: number; readonly childrenField?: string | undefined; readonly http?: boolean } = {},
  ) {
    this.#families = new FamilyDelivery(retries, http);
    this.#http = http;
    this.#childrenField = childrenField;
    this.#targets = targets;
    this.#uploads = targets.map(() => new Delivery(retries, new RequestSize(maxBytes)));
    this.#deletes = new Delivery(retries, new RequestSize());
  }

  write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const field = this.#childrenField;
    if (field === undefined) return this.#write(batch, signal);
    const remove = async (families: readonly Family[]): Promise<Reply> => {
      for (const target of this.#targets) {
        const reply = await target.removeChildren(families, field);
        if ('refused' in reply || reply.items.size > 0) return reply;
      }
      return { items: new Map() };
    };
    return this.#families.write(batch, signal, (documents) => this.#write(documents, signal), remove);
  }

  async #write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const bytes = new BatchBytes(batch);
    const keys = Array.from({ length: bytes.count }, (_, i) => bytes.firstJson(i) as DocumentKey);
    const last = new Map(keys.map(({ id }, i) => [id, i]));
    const newest = [...last.values()].sort((a, b) => a - b);
    const isDelete = (position: number) => keys[position]?.delete === true;
    const common = {
      partial: false,
      ...(this.#http ? {} : ({ http: false } as const)),
      key: (position: number) => (keys[position] as DocumentKey).id,
      length: (position: number) => bytes.length(position),
      isolates: (status: number) => status === 400 || status === 422,
    };
    const failures = new Map<number, IndexFailure>();
    const deliver = async (positions: readonly number[], delivery: Delivery, request: Request) => {
      if (positions.length === 0) return;
      for (const failure of await delivery.deliver(positions, { ...common, request }, signal)) {
        failures.set(failure.index, failure);
      }
    };
    const ids = (positions: readonly number[]) => positions.map((position) => common.key(position));
    for (const [n, target] of this.#targets.entries()) {
      await deliver(newest.filter(isDelete), this.#deletes, (some) => target.remove(ids(some)));
      const uploads = newest.filter((position) => !isDelete(position) && !failures.has(position));
      await deliver(uploads, this.#uploads[n] as Delivery, (some) =>
        target.upload(some.map((position) => lineOf(bytes.rest(position), n))),
      );
    }
    return [...failures.values()];
  }
}

type Request = (positions: readonly number[]) => Promise<Reply>;

/** Returns a line of bytes, without its end. */
function lineOf(bytes: Buffer, number: number): Uint8Array {
  let start = 0;
  for (let i = 0; i < number; i++) start = bytes.indexOf(LINE_END, start) + 1;
  const end = bytes.indexOf(LINE_END, start);
  return bytes.subarray(start, end < 0 ? bytes.length : end);
}

const COMMA = Buffer.from(',');

/** Returns a JSON object with a list of objects: `{"points":[…]}`. */
export function listBody(start: string, objects: readonly Uint8Array[], end = ']}'): Buffer {
  const parts: Uint8Array[] = [Buffer.from(start)];
  objects.forEach((object, i) => {
    if (i > 0) parts.push(COMMA);
    parts.push(object);
  });
  return Buffer.concat([...parts, Buffer.from(end)]);
}

/** How many single requests are sent concurrently. */
const TOGETHER = 8;

/** Sends a request for each id, and returns the failures by their position. */
export async function forEach(ids: readonly string[], send: (id: string) => Promise<Reply>): Promise<Reply> {
  const items = new Map<number, DeliveryFailure>();
  for (let from = 0; from < ids.length; from += TOGETHER) {
    const replies = await Promise.all(ids.slice(from, from + TOGETHER).map(send));
    for (const [i, reply] of replies.entries()) if ('refused' in reply) items.set(from + i, reply.refused);
  }
  return { items };
}

/** Returns the first failure of single requests as the failure of all of them. */
export function firstRefusal(reply: Reply): Reply {
  if ('refused' in reply) return reply;
  const [refused] = reply.items.values();
  return refused === undefined ? { items: new Map() } : { refused };
}
