import { bmpOf } from './bmp.ts';

/** A record of PowerPoint or of a drawing in an old Office file. */
export interface OfficeRecord {
  readonly type: number;
  readonly instance: number;
  /** Whether its body consists of records. */
  readonly isContainer: boolean;
  readonly body: Buffer;
}

export const RECORD_HEAD = 8;
/** The entry of a picture in the list of a file. The picture follows in it, or is in another stream. */
const ENTRY = 0xf007;
const ENTRY_BYTES = 36;
const ENTRY_PLACE = 28;
const ENTRY_NAME_BYTES = 33;
/** Pictures: JPEG, PNG, DIB, TIFF, and JPEG of Macintosh files. Metafiles have the types between, and are omitted. */
const DIB = 0xf01f;
const PICTURES = new Set([0xf01d, 0xf01e, DIB, 0xf029, 0xf02a]);
const DIGEST_BYTES = 16;

/** Returns the record at a place; undefined after the end. A body is cut at the end of the data. */
export function recordAt(data: Buffer, at: number): OfficeRecord | undefined {
  if (at + RECORD_HEAD > data.length) return undefined;
  const head = data.readUInt16LE(at);
  const length = data.readUInt32LE(at + 4);
  return {
    type: data.readUInt16LE(at + 2),
    instance: head >> 4,
    isContainer: (head & 0xf) === 0xf,
    body: data.subarray(at + RECORD_HEAD, Math.min(data.length, at + RECORD_HEAD + length)),
  };
}

/**
 * Returns the pictures in records of drawings, in order. Nested containers are read as one list, so hostile nesting costs
 * nothing. Bytes that are no records give no pictures. (Source: [MS-ODRAW] 2.2.20 to 2.2.32.)
 * @param delayed the stream with the pictures whose entries only say where they are
 */
export function* picturesIn(records: Buffer, delayed?: Buffer): Generator<Buffer> {
  const places = new Set<number>();
  let at = 0;
  for (let record = recordAt(records, at); record !== undefined; record = recordAt(records, at)) {
    const { type, isContainer, body } = record;
    at += RECORD_HEAD;
    if (isContainer) continue;
    if (type !== ENTRY || body.length < ENTRY_BYTES) {
      const picture = pictureOf(record);
      if (picture !== undefined) yield picture;
      at += body.length;
      continue;
    }
    const head = Math.min(body.length, ENTRY_BYTES + (body[ENTRY_NAME_BYTES] as number));
    // The next record is the picture of this entry.
    at += head;
    const place = body.readUInt32LE(ENTRY_PLACE);
    if (head < body.length || delayed === undefined || places.has(place)) continue;
    places.add(place);
    const found = recordAt(delayed, place);
    const picture = found === undefined ? undefined : pictureOf(found);
    if (picture !== undefined) yield picture;
  }
}

/** A picture has one digest or two before it, and a byte. */
function pictureOf({ type, instance, body }: OfficeRecord): Buffer | undefined {
  if (!PICTURES.has(type)) return undefined;
  const picture = body.subarray((instance & 1) === 0 ? DIGEST_BYTES + 1 : 2 * DIGEST_BYTES + 1);
  return type === DIB ? bmpOf(picture) : picture;
}
