import { pagesOf, propertiesIn } from './doc-properties.ts';
import { picturesIn, RECORD_HEAD } from './office-art.ts';
import type { Pictures } from './pictures.ts';

/** Where the header says where the properties of characters, and the drawings are. (Source: [MS-DOC] 2.5.6.) */
const PAGES_AT = 250;
const DRAWINGS_AT = 554;
/** Properties of characters. (Source: [MS-DOC] 2.6.1.) */
const PICTURE_PLACE = 0x6a03;
const IS_FORM_DATA = 0x0806;
const IS_OBJECT = 0x080a;
/** The header of a picture: its size with the picture, its own size, and its kind. (Source: [MS-DOC] 2.9.192.) */
const HEAD_BYTES = 68;
const KIND_AT = 6;
const IN_DRAWING = 100;
const IN_DRAWING_WITH_NAME = 102;
/** The character in the text that a picture replaces. */
const PICTURE_MARK = '\x01';

/** Characters with a picture. */
interface Run {
  readonly from: number;
  readonly end: number;
  /** Where the picture is in the stream Data. */
  readonly place: number;
}

export interface DocStreams {
  readonly word: Buffer;
  readonly table: Buffer;
  /** The pictures in the text. */
  readonly data: Uint8Array | undefined;
}

/**
 * Adds the pictures of a Word 97 file: those in the text in its order, then those of drawings.
 * @param placeOf returns where in the file a character is; called with rising indexes
 */
export function addDocPictures(
  { word, table, data }: DocStreams,
  text: string,
  placeOf: (index: number) => number,
  pictures: Pictures,
): void {
  const runs = pictureRuns(word, table);
  const places = new Set<number>();
  for (let index = text.indexOf(PICTURE_MARK); index >= 0; index = text.indexOf(PICTURE_MARK, index + 1)) {
    const place = runAt(runs, placeOf(index))?.place;
    if (place !== undefined) places.add(place);
  }
  const drawings = data === undefined ? Buffer.alloc(0) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  for (const place of places) {
    for (const picture of picturesIn(drawingAt(drawings, place))) pictures.add(picture);
  }
  if (word.length < DRAWINGS_AT + 8) return;
  const at = word.readUInt32LE(DRAWINGS_AT);
  const size = word.readUInt32LE(DRAWINGS_AT + 4);
  if (size < RECORD_HEAD || at + RECORD_HEAD > table.length) return;
  // The first record lists the pictures. Shapes follow.
  const list = table.subarray(at, at + Math.min(size, RECORD_HEAD + table.readUInt32LE(at + 4)));
  for (const picture of picturesIn(list, word)) pictures.add(picture);
}

/** Returns the records of a picture. They are empty if the picture is a link or a metafile of Word 6. */
function drawingAt(data: Buffer, place: number): Buffer {
  const none = data.subarray(0, 0);
  if (place + HEAD_BYTES > data.length) return none;
  const end = place + data.readUInt32LE(place);
  const kind = data.readUInt16LE(place + KIND_AT);
  const start = place + data.readUInt16LE(place + 4);
  if (kind === IN_DRAWING) return data.subarray(start, end);
  return kind === IN_DRAWING_WITH_NAME ? data.subarray(start + 1 + (data[start] ?? 0), end) : none;
}

/** Returns the runs of characters with a picture, by their place in the file. */
function pictureRuns(word: Buffer, table: Buffer): Run[] {
  const runs: Run[] = [];
  for (const page of pagesOf(word, table, PAGES_AT)) addRuns(page, runs);
  return runs.sort((a, b) => a.from - b.from);
}

/** Reads a page of properties: places, then where the properties of each are, with their size before them. */
function addRuns(page: Buffer, runs: Run[]): void {
  const count = page.at(-1) as number;
  for (let i = 0; i < count; i++) {
    const offset = (count + 1) * 4 + i;
    if (offset >= page.length) return;
    const at = (page[offset] as number) * 2;
    if (at === 0) continue;
    const place = pictureIn(page.subarray(at + 1, at + 1 + (page[at] as number)));
    if (place !== undefined) runs.push({ from: page.readUInt32LE(i * 4), end: page.readUInt32LE((i + 1) * 4), place });
  }
}

/** Returns the place of the picture of a run. Data of form fields and objects have places too, which are no pictures. */
function pictureIn(properties: Buffer): number | undefined {
  let place: number | undefined;
  for (const { property, at } of propertiesIn(properties)) {
    if (property === PICTURE_PLACE) place = properties.readUInt32LE(at);
    else if ((property === IS_FORM_DATA || property === IS_OBJECT) && properties[at] === 1) return undefined;
  }
  return place;
}

function runAt(runs: readonly Run[], place: number): Run | undefined {
  let low = 0;
  let high = runs.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle] as Run;
    if (place < run.from) high = middle - 1;
    else if (place >= run.end) low = middle + 1;
    else return run;
  }
  return undefined;
}
