import iconv from 'iconv-lite';
import type { Extraction } from '../blocks/blocks.ts';
import { DocParagraphs } from './doc-paragraphs.ts';
import { addDocPictures, type DocStreams } from './doc-pictures.ts';
import { EncryptedFile, type FormatReader } from './format.ts';
import { OleFile } from './ole.ts';
import { describeOle } from './ole-properties.ts';
import { Pictures } from './pictures.ts';

/** The first bytes of Word 97 and later; older versions have other ones. */
const WORD_97 = 0xa5ec;
const ENCRYPTED_FLAG = 0x100;
const TABLE_1_FLAG = 0x200;
/** Where the header says how many characters each part has. (Source: [MS-DOC] 2.5.) */
const PARTS = {
  body: 76,
  footnotes: 80,
  headers: 84,
  macros: 88,
  comments: 92,
  endnotes: 96,
  boxes: 100,
  headerBoxes: 104,
};
type Part = keyof typeof PARTS;
const SHOWN: readonly Part[] = ['headers', 'body', 'boxes', 'headerBoxes', 'footnotes', 'endnotes', 'comments'];
const PIECES_AT = 418;
const PIECES_IN_CLX = 2;
const COMPRESSED = 0x4000_0000;

/** A run of text. */
interface Piece {
  /** The index of its first character in the text. */
  readonly start: number;
  /** Where it is in the file. */
  readonly at: number;
  readonly width: 1 | 2;
}

/** Reads old Word files: 97 to 2003 with all parts, headings and tables; 6 and 95 with the text of the body. */
export const readDoc: FormatReader = async ({ bytes, budget, readInner }, to) => {
  const file = await OleFile.open(bytes);
  describeOle(file, to);
  const stream = file.stream('WordDocument');
  if (stream === undefined || stream.length < 128) throw new Error('it has no document');
  const word = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  const flags = word.readUInt16LE(10);
  if ((flags & ENCRYPTED_FLAG) !== 0) throw new EncryptedFile([]);
  if (word.readUInt16LE(0) === WORD_97) {
    const table = file.stream((flags & TABLE_1_FLAG) === 0 ? '0Table' : '1Table');
    if (table === undefined || word.length < PIECES_AT + 8) throw new Error('it has no table of its text');
    const pictures = new Pictures(to, budget);
    addWord97({ word, table: Buffer.from(table), data: file.stream('Data') }, to, pictures);
  } else addWord6(word, to);
  for (const { name, bytes: inner } of file.embedded()) await readInner(inner, name, to);
};

function addWord97(streams: DocStreams, to: Extraction, pictures: Pictures): void {
  const { word, table } = streams;
  const { text, pieces } = textOf(word, table);
  const paragraphs = new DocParagraphs(word, table, to);
  const ranges = new Map<Part, [number, number]>();
  let start = 0;
  for (const [part, at] of Object.entries(PARTS)) {
    const length = Math.max(0, word.readInt32LE(at));
    ranges.set(part as Part, [start, start + length]);
    start += length;
  }
  for (const part of SHOWN) {
    const [from, end] = ranges.get(part) as [number, number];
    const placeOf = placesOf(pieces);
    if (pieces.length > 0) paragraphs.add(text.slice(from, end), (index) => placeOf(from + index));
  }
  if (pictures.wanted && pieces.length > 0) addDocPictures(streams, text, placesOf(pieces), pictures);
}

/** Returns a function that returns where in the file a character is. It must be called with rising indexes. */
function placesOf(pieces: readonly Piece[]): (index: number) => number {
  let piece = 0;
  return (index) => {
    while (piece + 1 < pieces.length && (pieces[piece + 1] as Piece).start <= index) piece++;
    const { start, at, width } = pieces[piece] as Piece;
    return at + (index - start) * width;
  };
}

/** Returns the whole text. The piece table says where in the file its pieces are. */
function textOf(word: Buffer, table: Buffer): { text: string; pieces: Piece[] } {
  let at = word.readUInt32LE(PIECES_AT);
  const end = Math.min(table.length, at + word.readUInt32LE(PIECES_AT + 4));
  while (at + 5 <= end && table[at] !== PIECES_IN_CLX) at += 3 + table.readUInt16LE(at + 1);
  if (at + 5 > end) throw new Error('its table of the text is damaged');
  const size = Math.min(table.readUInt32LE(at + 1), end - at - 5);
  const count = Math.max(0, Math.floor((size - 4) / 12));
  const places = at + 5;
  const pieces: Piece[] = [];
  let text = '';
  for (let i = 0; i < count; i++) {
    const length = table.readUInt32LE(places + (i + 1) * 4) - table.readUInt32LE(places + i * 4);
    const place = table.readUInt32LE(places + (count + 1) * 4 + i * 8 + 2);
    const isCompressed = (place & COMPRESSED) !== 0;
    const from = isCompressed ? (place & (COMPRESSED - 1)) >>> 1 : place;
    if (length < 0 || from > word.length) throw new Error('its table of the text is damaged');
    pieces.push({ start: text.length, at: from, width: isCompressed ? 1 : 2 });
    const bytes = word.subarray(from, from + length * (isCompressed ? 1 : 2));
    text += isCompressed ? iconv.decode(bytes, 'cp1252') : bytes.toString('utf16le');
  }
  return { text, pieces };
}

/** The text is between two offsets of the header. */
function addWord6(word: Buffer, to: Extraction): void {
  const text = iconv.decode(word.subarray(word.readUInt32LE(24), word.readUInt32LE(28)), 'cp1252');
  new DocParagraphs(word, undefined, to).add(text, () => 0);
}
