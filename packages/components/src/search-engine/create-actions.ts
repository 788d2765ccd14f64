import type { BatchBytes, DeliveryFailure } from '@headrace/engine';

const INDEX_ACTION = Buffer.from('{"index":');
const CREATE_ACTION = Buffer.from('{"create":');
const DELETE_ACTION = Buffer.from('{"delete":');
/** The name of the index in an action line, as JSON. Quotes inside other strings of the line are escaped. */
const INDEX_MEMBER = /"_index":("(?:[^"\\]|\\.)*")/;

/** A bulk request in which the documents for data streams are created. */
export interface CreateRequest {
  readonly body: Buffer;
  /** The positions in the batch that the body contains, in order. */
  readonly sent: readonly number[];
  /** The documents that a data stream cannot take, by their position in the batch. */
  readonly refused: ReadonlyMap<number, DeliveryFailure>;
}

/** Reads the index names of the documents of a batch. */
export class TargetNames {
  readonly #bytes: BatchBytes;
  /** The name for each JSON text of it: most documents have the same. */
  readonly #names = new Map<string, string>();

  constructor(bytes: BatchBytes) {
    this.#bytes = bytes;
  }

  of(position: number): string {
    const [, json = '""'] = INDEX_MEMBER.exec(this.#bytes.firstLine(position)) ?? [];
    return this.#names.getOrInsertComputed(json, () => JSON.parse(Buffer.from(json, 'latin1').toString()) as string);
  }
}

/**
 * Returns the bulk request for some documents of a batch: `create` takes the place of `index` for those of data
 * streams.
 * @param streamOf returns the name of the data stream of a document; undefined if it goes to an index
 * @param why the reason why no document can be written to a data stream with these settings; undefined if there is none
 */
export function createRequest(
  bytes: BatchBytes,
  positions: readonly number[],
  streamOf: (position: number) => string | undefined,
  why: string | undefined,
): CreateRequest {
  const parts: Buffer[] = [];
  const sent: number[] = [];
  const refused = new Map<number, DeliveryFailure>();
  for (const position of positions) {
    const document = bytes.document(position);
    const stream = streamOf(position);
    const reason = stream === undefined ? undefined : whyNot(bytes, position, why);
    if (reason !== undefined) {
      refused.set(position, { status: 400, message: `${stream} is a data stream. ${reason}`, retryable: false });
      continue;
    }
    sent.push(position);
    if (stream === undefined) parts.push(document);
    else parts.push(CREATE_ACTION, document.subarray(INDEX_ACTION.length));
  }
  return { body: Buffer.concat(parts), sent, refused };
}

function whyNot(bytes: BatchBytes, position: number, why: string | undefined): string | undefined {
  if (!bytes.startsWith(position, DELETE_ACTION)) return why;
  return 'A data stream only adds documents: no document can be deleted by its id';
}

/** Returns the ids of some documents of a batch, by their position. */
export function idsOf(bytes: BatchBytes, positions: Iterable<number>): Map<number, string> {
  const ids = new Map<number, string>();
  for (const position of positions) {
    const action = bytes.firstJson(position) as Record<string, { _id: string }>;
    for (const name in action) ids.set(position, (action[name] as { _id: string })._id);
  }
  return ids;
}
