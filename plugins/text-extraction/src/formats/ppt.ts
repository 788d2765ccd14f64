import { constants, inflateRawSync } from 'node:zlib';
import type { Extraction } from '../blocks/blocks.ts';
import { EncryptedFile, type FileInput, type FormatReader } from './format.ts';
import { reportInner } from './inner-problem.ts';
import { type OfficeRecord, picturesIn, RECORD_HEAD, recordAt } from './office-art.ts';
import { OleFile } from './ole.ts';
import { describeOle } from './ole-properties.ts';
import { Pictures } from './pictures.ts';

/** Types of records. (Source: [MS-PPT] 2.13.24.) */
const SLIDE_LIST = 0x0ff0;
const SLIDE_PLACE = 0x03f3;
const TEXT_HEADER = 0x0f9f;
const TEXT_UTF16 = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const TEXT_REFERENCE = 0x0f9e;
const STRING = 0x0fba;
const COMMENT = 0x2ee0;
const BINARY_TAG = 0x138b;
const HEADERS_FOOTERS = 0x0fd9;
const NOTES_OF = 0x03f1;
const SHAPE_TEXT = 0xf00d;
const CLIENT_DATA = 0xf011;
const PLACEHOLDER = 0x0bc3;
const SHAPE = 0xf004;
const USER_EDIT = 0x0ff5;
const PLACES = 0x1772;
const EMBEDDED = 0x1011;
/** The kinds of text that are titles. */
const TITLES = new Set([0, 6]);
const ENCRYPTED_MARK = 0xf3d1c4df;
const DEEPEST = 32;
const MOST_EDITS = 10_000;

interface PptText {
  readonly isTitle: boolean;
  readonly text: string;
}

/** Reads old PowerPoint files (97 to 2003): slide by slide, with notes, comments, pictures and embedded files. */
export const readPpt: FormatReader = async (input, to) => {
  const file = await OleFile.open(input.bytes);
  const user = file.stream('Current User');
  const stream = file.stream('PowerPoint Document');
  if (stream === undefined || user === undefined) throw new Error('it has no presentation');
  describeOle(file, to);
  const current = Buffer.from(user);
  if (current.length < 20) throw new Error('it has no current version');
  if (current.readUInt32LE(12) === ENCRYPTED_MARK) throw new EncryptedFile([]);
  const data = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  addPictures(file.stream('Pictures'), new Pictures(to, input.budget));
  await new Presentation(data, current.readUInt32LE(16), input, to).read();
};

function addPictures(stream: Uint8Array | undefined, pictures: Pictures): void {
  if (!pictures.wanted || stream === undefined) return;
  const data = Buffer.from(stream.buffer, stream.byteOffset, stream.byteLength);
  for (const picture of picturesIn(data)) pictures.add(picture);
}

class Presentation {
  readonly #data: Buffer;
  readonly #input: FileInput;
  readonly #to: Extraction;
  /** Where each object of the current version begins. */
  readonly #places: Map<number, number>;
  readonly #document: number;

  constructor(data: Buffer, edit: number, input: FileInput, to: Extraction) {
    this.#data = data;
    this.#input = input;
    this.#to = to;
    const { places, document } = currentVersion(data, edit);
    this.#places = places;
    this.#document = document;
  }

  async read(): Promise<void> {
    const document = this.#object(this.#document);
    if (document === undefined) throw new Error('it has no document');
    const lists = childrenOf(document.body).filter(({ type }) => type === SLIDE_LIST);
    const masters = lists.filter(({ instance }) => instance === 1).flatMap(slidesOf);
    const slides = lists.filter(({ instance }) => instance === 0).flatMap(slidesOf);
    const notes = new Map<number, OfficeRecord>();
    for (const { place } of lists.filter(({ instance }) => instance === 2).flatMap(slidesOf)) {
      const note = this.#object(place);
      const of = note === undefined ? undefined : childrenOf(note.body).find(({ type }) => type === NOTES_OF);
      if (note !== undefined && of !== undefined && of.body.length >= 4) notes.set(of.body.readUInt32LE(0), note);
    }
    for (const [i, slide] of slides.entries()) {
      this.#to.add({ kind: 'page', number: i + 1 });
      this.#slide(slide, false);
      const note = notes.get(slide.id);
      if (note !== undefined) for (const text of textsOf(note, [], true)) this.#add(text);
    }
    for (const master of masters) this.#slide(master, true);
    await this.#embedded();
  }

  #slide({ place, texts }: OutlineSlide, isMaster: boolean): void {
    const slide = this.#object(place);
    const found = slide === undefined ? texts : textsOf(slide, texts, isMaster);
    // The outline of a slide without shapes is shown too.
    for (const text of found.length === 0 ? texts : found) this.#add(text);
  }

  #add({ isTitle, text }: PptText): void {
    if (isTitle) this.#to.add({ kind: 'heading', level: 2, text: text.trim() });
    else for (const line of text.split('\r')) this.#to.add({ kind: 'paragraph', text: line });
  }

  #object(place: number): OfficeRecord | undefined {
    return recordAt(this.#data, this.#places.get(place) ?? this.#data.length);
  }

  async #embedded(): Promise<void> {
    for (const at of this.#places.values()) {
      const record = recordAt(this.#data, at);
      if (record?.type !== EMBEDDED) continue;
      // Instance 1 is compressed, after the size of what it expands to.
      const bytes = record.instance === 1 ? this.#expanded(record.body.subarray(4)) : record.body;
      if (bytes !== undefined) await this.#input.readInner(bytes, undefined, this.#to);
    }
  }

  #expanded(compressed: Buffer): Buffer | undefined {
    const { budget } = this.#input;
    try {
      // Some writers end the data early, or write a wrong check sum: it is omitted with the header of 2 bytes.
      const options = { maxOutputLength: Math.max(1, budget.left), finishFlush: constants.Z_SYNC_FLUSH };
      const bytes = inflateRawSync(compressed.subarray(2), options);
      budget.take(bytes.length);
      return bytes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') budget.take(budget.left + 1);
      reportInner(this.#to, 'an object', `it is damaged: ${(error as Error).message}`);
      return undefined;
    }
  }
}

/** A save appends the objects that changed, so the last save that has an object counts. */
function currentVersion(data: Buffer, last: number): { places: Map<number, number>; document: number } {
  const places = new Map<number, number>();
  let document = 0;
  let at = last;
  for (let edits = 0; edits < MOST_EDITS; edits++) {
    const edit = recordAt(data, at);
    if (edit?.type !== USER_EDIT || edit.body.length < 20) break;
    document ||= edit.body.readUInt32LE(16);
    const directory = recordAt(data, edit.body.readUInt32LE(12));
    if (directory?.type === PLACES) addPlaces(directory.body, places);
    const before = edit.body.readUInt32LE(8);
    if (before === 0 || before >= at) break;
    at = before;
  }
  return { places, document };
}

function addPlaces(directory: Buffer, places: Map<number, number>): void {
  for (let at = 0; at + 4 <= directory.length; ) {
    const head = directory.readUInt32LE(at);
    at += 4;
    for (let i = 0; i < head >>> 20 && at + 4 <= directory.length; i++, at += 4) {
      const id = (head & 0xfffff) + i;
      if (!places.has(id)) places.set(id, directory.readUInt32LE(at));
    }
  }
}

interface OutlineSlide {
  readonly place: number;
  readonly id: number;
  readonly texts: PptText[];
}

/** Returns the slides of a list, and their texts in the outline. */
function slidesOf(list: OfficeRecord): OutlineSlide[] {
  const slides: OutlineSlide[] = [];
  let kind = 0;
  for (const record of childrenOf(list.body)) {
    if (record.type === SLIDE_PLACE && record.body.length >= 16) {
      slides.push({ place: record.body.readUInt32LE(0), id: record.body.readUInt32LE(12), texts: [] });
    } else if (record.type === TEXT_HEADER && record.body.length >= 4) kind = record.body.readUInt32LE(0);
    const text = textOf(record);
    if (text !== undefined) slides.at(-1)?.texts.push({ isTitle: TITLES.has(kind), text });
  }
  return slides;
}

/** Returns the texts of the shapes of a slide. A master's placeholders contain instructions, not text. */
function textsOf(slide: OfficeRecord, outline: readonly PptText[], isMaster: boolean): PptText[] {
  const texts: PptText[] = [];
  const visit = (record: OfficeRecord, depth: number): void => {
    const children = childrenOf(record.body);
    if (record.type === COMMENT) {
      const parts = children.filter(({ type }) => type === STRING).map((part) => part.body.toString('utf16le'));
      texts.push({ isTitle: false, text: parts.slice(0, 2).join(': ') });
      return;
    }
    if (record.type === HEADERS_FOOTERS) {
      for (const part of children) {
        if (part.type === STRING) texts.push({ isTitle: false, text: part.body.toString('utf16le') });
      }
      return;
    }
    if (record.type === SHAPE && isMaster && slide.type === 0x03f8 && hasPlaceholder(children)) return;
    let kind = 4;
    for (const child of children) {
      if (child.type === TEXT_HEADER && child.body.length >= 4) kind = child.body.readUInt32LE(0);
      if (record.type === SHAPE_TEXT && child.type === TEXT_REFERENCE && child.body.length >= 4) {
        const referenced = outline[child.body.readUInt32LE(0)];
        if (referenced !== undefined) texts.push(referenced);
      }
      const text = record.type === SHAPE_TEXT ? textOf(child) : undefined;
      if (text !== undefined) texts.push({ isTitle: TITLES.has(kind), text });
      else if ((child.isContainer || child.type === SHAPE_TEXT || child.type === BINARY_TAG) && depth < DEEPEST) {
        visit(child, depth + 1);
      }
    }
  };
  visit(slide, 0);
  return texts;
}

function hasPlaceholder(shape: readonly OfficeRecord[]): boolean {
  return shape.some(
    ({ type, body }) => type === CLIENT_DATA && childrenOf(body).some((record) => record.type === PLACEHOLDER),
  );
}

/** Line ends inside a paragraph are vertical tabs. */
function textOf({ type, body }: OfficeRecord): string | undefined {
  if (type === TEXT_UTF16) return body.toString('utf16le').replaceAll('\v', '\n');
  return type === TEXT_BYTES ? body.toString('latin1').replaceAll('\v', '\n') : undefined;
}

function childrenOf(body: Buffer): OfficeRecord[] {
  const children: OfficeRecord[] = [];
  for (let at = 0; at < body.length; ) {
    const record = recordAt(body, at);
    if (record === undefined) break;
    children.push(record);
    at += RECORD_HEAD + record.body.length;
  }
  return children;
}
