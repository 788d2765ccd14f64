import { oleFile } from './ole-files.ts';
import { numbers } from './pictures.ts';

/** The properties of characters: where a picture is, and that the place is of a form field or an object. */
export const picturePlace = (place: number) => Buffer.concat([Buffer.from([0x03, 0x6a]), numbers(place)]);
export const FORM_DATA = Buffer.from([0x06, 0x08, 1]);
export const OBJECT = Buffer.from([0x0a, 0x08, 1]);

/** Returns a picture in the stream Data: a header of 68 bytes, and records of drawings. */
export function inlinePicture(records: Buffer, kind = 100, name = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(68);
  head.writeUInt32LE(68 + name.length + records.length, 0);
  head.writeUInt16LE(68, 4);
  head.writeUInt16LE(kind, 6);
  return Buffer.concat([head, name, records]);
}

interface WordParts {
  /** The pieces of the text in their order in the file, each with the properties of its characters. */
  readonly pieces: readonly (readonly [text: string, properties: Buffer])[];
  /** The order of the pieces in the text. A missing one is deleted text. */
  readonly order: readonly number[];
  readonly data?: Buffer;
  /** The list of the pictures of drawings, for the place of the bytes after the text. */
  readonly drawings?: (place: number) => Buffer;
  /** The bytes after the text. */
  readonly rest?: Buffer;
}

const TEXT_AT = 1024;
const PAGE_BYTES = 512;

/** Returns a file of Word 97 with pictures. */
export function wordWithPictures({ pieces, order, data, drawings, rest = Buffer.alloc(0) }: WordParts): Buffer {
  const starts = [TEXT_AT];
  for (const [text] of pieces) starts.push((starts.at(-1) as number) + text.length);
  const pageAt = Math.ceil((starts.at(-1) as number) / PAGE_BYTES) * PAGE_BYTES;
  const page = pageOf(pieces, starts);

  const ends = [0];
  for (const i of order) ends.push((ends.at(-1) as number) + (pieces[i]?.[0].length ?? 0));
  const places = order.map((i) =>
    Buffer.concat([Buffer.alloc(2), numbers(0x4000_0000 + 2 * (starts[i] as number)), Buffer.alloc(2)]),
  );
  const pieceTable = Buffer.concat([numbers(...ends), ...places]);
  const textTable = Buffer.concat([Buffer.from([2]), numbers(pieceTable.length), pieceTable]);
  const pageTable = numbers(TEXT_AT, starts.at(-1) as number, pageAt / PAGE_BYTES);
  const list = drawings?.(pageAt + PAGE_BYTES) ?? Buffer.alloc(0);

  const head = Buffer.alloc(TEXT_AT);
  head.writeUInt16LE(0xa5ec, 0);
  head.writeUInt32LE(ends.at(-1) as number, 76);
  numbers(textTable.length, pageTable.length).copy(head, 250);
  numbers(0, textTable.length).copy(head, 418);
  numbers(textTable.length + pageTable.length, list.length).copy(head, 554);
  const text = Buffer.from(pieces.map(([part]) => part).join(''), 'latin1');
  const gap = Buffer.alloc(pageAt - TEXT_AT - text.length);
  return oleFile({
    WordDocument: Buffer.concat([head, text, gap, page, rest]),
    '0Table': Buffer.concat([textTable, pageTable, list]),
    ...(data === undefined ? {} : { Data: data }),
  });
}

/** Returns a page with the properties of the pieces. */
function pageOf(pieces: WordParts['pieces'], starts: readonly number[]): Buffer {
  const page = Buffer.alloc(PAGE_BYTES);
  numbers(...starts).copy(page);
  let at = PAGE_BYTES - 2;
  for (const [i, [, properties]] of pieces.entries()) {
    at -= properties.length + 2 - (properties.length % 2);
    page[starts.length * 4 + i] = properties.length === 0 ? 0 : at / 2;
    page[at] = properties.length;
    properties.copy(page, at + 1);
  }
  page[PAGE_BYTES - 1] = pieces.length;
  return page;
}
