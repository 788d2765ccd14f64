import type { Extraction } from '../blocks/blocks.ts';
import { pagesOf, propertiesIn } from './doc-properties.ts';

const PAGES_AT = 258;
const PAGE_BYTES = 512;
/** Paragraph properties. (Source: [MS-DOC] 2.6.2.) */
const IN_TABLE = 0x2416;
const ROW_END = 0x2417;
const LIST_LEVEL = 0x260a;
const LIST = 0x460b;

interface Properties {
  /** Styles 1 to 9 are the headings. */
  readonly style: number;
  readonly isInTable: boolean;
  readonly isRowEnd: boolean;
  readonly isItem: boolean;
  readonly depth: number;
}

interface Run {
  readonly from: number;
  readonly end: number;
  readonly properties: Properties;
}

const SYMBOLS: Readonly<Record<string, string>> = { '\n': '\n', '\x0b': '\n', '\x1e': '-', '\x1f': '\u00ad' };

const PLAIN: Properties = { style: 0, isInTable: false, isRowEnd: false, isItem: false, depth: 0 };

/** Divides the text of an old Word file into paragraphs, with the properties that the file says about them. */
export class DocParagraphs {
  readonly #to: Extraction;
  /** By their place in the file, in order. */
  readonly #runs: Run[] = [];

  /** @param table undefined for Word 6, whose properties are not read */
  constructor(word: Buffer, table: Buffer | undefined, to: Extraction) {
    this.#to = to;
    if (table === undefined) return;
    for (const page of pagesOf(word, table, PAGES_AT)) this.#page(page);
    this.#runs.sort((a, b) => a.from - b.from);
  }

  /** @param placeOf returns where in the file a character is; called with rising indexes */
  add(text: string, placeOf: (index: number) => number): void {
    let rows: string[][] = [];
    let row: string[] = [];
    let cell = '';
    let start = 0;
    const endTable = () => {
      if (row.length > 0) rows.push(row);
      if (rows.length > 0) this.#to.add({ kind: 'table', rows });
      rows = [];
      row = [];
    };
    for (const { index, 0: mark } of text.matchAll(/[\r\x07\x0c]|$/g)) {
      const shown = shownText(text.slice(start, index));
      start = index + 1;
      const properties = this.#at(placeOf(index));
      if (mark === '\x07') {
        if (properties.isRowEnd) {
          rows.push(row);
          row = [];
        } else row.push(`${cell}${shown}`);
        cell = '';
      } else if (properties.isInTable && mark === '\r') cell += `${shown}\n`;
      else {
        endTable();
        this.#paragraph(`${cell}${shown}`, properties);
        cell = '';
      }
    }
    endTable();
  }

  #paragraph(text: string, { style, isItem, depth }: Properties): void {
    if (style >= 1 && style <= 9) this.#to.add({ kind: 'heading', level: style, text });
    else if (isItem) this.#to.add({ kind: 'item', depth, ordered: false, text });
    else this.#to.add({ kind: 'paragraph', text });
  }

  #at(place: number): Properties {
    let low = 0;
    let high = this.#runs.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const run = this.#runs[middle] as Run;
      if (place < run.from) high = middle - 1;
      else if (place >= run.end) low = middle + 1;
      else return run.properties;
    }
    return PLAIN;
  }

  /** Reads a page of properties: places, then an offset for each, then the properties. */
  #page(page: Buffer): void {
    const count = page[PAGE_BYTES - 1] as number;
    for (let i = 0; i < count; i++) {
      const offset = (count + 1) * 4 + i * 13;
      if (offset >= PAGE_BYTES) return;
      const at = (page[offset] as number) * 2;
      const [from, end] = [page.readUInt32LE(i * 4), page.readUInt32LE((i + 1) * 4)];
      let size = (page[at] as number) * 2 - 1;
      let begin = at + 1;
      if (size < 0) {
        size = (page[at + 1] as number) * 2;
        begin = at + 2;
      }
      const isKnown = at > 0 && size >= 2 && begin + size <= PAGE_BYTES;
      this.#runs.push({ from, end, properties: isKnown ? propertiesOf(page.subarray(begin, begin + size)) : PLAIN });
    }
  }
}

function propertiesOf(data: Buffer): Properties {
  const values = new Map<number, number>();
  for (const { property, at, size } of propertiesIn(data, 2)) {
    if (size <= 2) values.set(property, data.readUIntLE(at, size));
  }
  return {
    style: data.readUInt16LE(0),
    isInTable: values.get(IN_TABLE) === 1,
    isRowEnd: values.get(ROW_END) === 1,
    isItem: (values.get(LIST) ?? 0) !== 0,
    depth: Math.min(8, values.get(LIST_LEVEL) ?? 0),
  };
}

/** Removes the instructions of fields and the marks of pictures and notes. */
function shownText(text: string): string {
  if (!/[\0-\x08\x0b\x0e-\x1f]/.test(text)) return text;
  let shown = '';
  /** For each open field, whether its instruction is open. */
  const fields: boolean[] = [];
  for (const character of text) {
    if (character === '\x13') fields.push(true);
    else if (character === '\x14') fields[Math.max(0, fields.length - 1)] = false;
    else if (character === '\x15') fields.pop();
    else if (!fields.includes(true))
      shown += SYMBOLS[character] ?? (character < ' ' && character !== '\t' ? '' : character);
  }
  return shown;
}
