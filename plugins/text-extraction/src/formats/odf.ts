import type { Block, Extraction } from '../blocks/blocks.ts';
import { EncryptedFile, type FileInput, type FormatReader } from './format.ts';
import { hiddenText, isShown } from './hidden.ts';
import { readOfficeImages } from './office-properties.ts';
import { Pictures } from './pictures.ts';
import { inReadingOrder, type Place, type SlideShape } from './slide-shapes.ts';
import { type Attributes, readXml } from './xml.ts';
import { addXmlPictures } from './xml-pictures.ts';
import { readZip } from './zip.ts';

const PROPERTIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    title: 'dc:title',
    subject: 'dc:subject',
    description: 'dc:description',
    creator: 'dc:creator',
    'initial-creator': 'meta:initial-author',
    'creation-date': 'dcterms:created',
    date: 'dcterms:modified',
    keyword: 'meta:keyword',
    language: 'dc:language',
    generator: 'generator',
    'print-date': 'meta:print-date',
    'editing-cycles': 'editing-cycles',
    'editing-duration': 'extended-properties:TotalTime',
  }),
);
const STATISTICS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'page-count': ['meta:page-count', 'xmpTPg:NPages'],
    'table-count': ['meta:table-count'],
    'image-count': ['meta:image-count'],
    'object-count': ['meta:object-count'],
    'paragraph-count': ['meta:paragraph-count'],
    'word-count': ['meta:word-count'],
    'character-count': ['meta:character-count'],
  }),
);

/** A cell or a row can be repeated thousands of times to fill a sheet. */
const MAX_REPEATED = 1000;

/** Reads text documents, spreadsheets and presentations of OpenDocument. */
export const readOdf: FormatReader = async (input, to) => {
  const { bytes, budget, readInner } = input;
  const entries = await readZip(bytes, budget);
  const entry = (name: string) => entries.find((one) => one.name === name);
  const manifest = await entry('META-INF/manifest.xml')?.read();
  if (manifest?.includes('encryption-data')) throw new EncryptedFile([]);
  const meta = await entry('meta.xml')?.read();
  if (meta !== undefined) describeOdf(meta, to);
  const content = entry('content.xml');
  if (content === undefined) throw new Error('it has no content');
  readXml(await content.read(), new OdfContent(to, input));
  const styles = await entry('styles.xml')?.read();
  if (styles !== undefined) readXml(styles, new OdfContent(to, input, 'master-styles'));
  for (const part of entries) {
    if (/^(\.\/)?Object [^/]+\/content\.xml$/.test(part.name)) readXml(await part.read(), new OdfContent(to, input));
    else if (/^(\.\/)?Object [^/]+$/.test(part.name)) await readInner(await part.read(), undefined, to);
  }
  await readOfficeImages(entries, to);
};

/** Reads OpenDocument files that are one XML document. */
export const readFlatOdf: FormatReader = (input, to) => {
  const { bytes, budget } = input;
  describeOdf(bytes, to);
  readXml(bytes, new OdfContent(to, input, 'body'));
  readXml(bytes, new OdfContent(to, input, 'master-styles'));
  addXmlPictures(bytes, new Pictures(to, budget));
};

function describeOdf(xml: Uint8Array, to: Extraction): void {
  let depth = 0;
  let name: string | undefined;
  let text = '';
  readXml(xml, {
    open(element, attributes) {
      if (element === 'document-meta' || element === 'document') to.describe('odf:version', attributes.get('version'));
      if (element === 'meta') depth++;
      if (depth === 0) return;
      name = element === 'user-defined' ? `custom:${attributes.get('name') ?? ''}` : PROPERTIES.get(element);
      text = '';
      if (element !== 'document-statistic') return;
      for (const [attribute, value] of attributes) {
        for (const key of STATISTICS.get(attribute) ?? []) to.describe(key, value);
      }
    },
    text(part) {
      if (name !== undefined) text += part;
    },
    close(element) {
      if (element === 'meta') depth--;
      if (name !== undefined) to.describe(name, text);
      name = undefined;
    },
  });
}

/** A table that is not read completely. */
interface OpenTable {
  rows: string[][];
  cell: string;
  date: string | undefined;
  repeated: number;
  rowRepeated: number;
  /** Whether the whole table is omitted. */
  readonly isOmitted: boolean;
  isRowHidden: boolean;
  /** The columns that are hidden: the first one, and the one after the last. */
  readonly hiddenColumns: (readonly [from: number, to: number])[];
  /** The number of columns that were declared, and of those that were read in the row. */
  columns: number;
  column: number;
}

/** A shape of a slide that is not read completely. */
interface OpenShape {
  readonly place: Place;
  readonly isTitle: boolean;
  readonly blocks: Block[];
  /** How many elements are open inside it, itself included. */
  depth: number;
}

class OdfContent {
  readonly #to: Extraction;
  readonly #tables: OpenTable[] = [];
  /** For each open list, nothing but its depth matters: OpenDocument defines numbers in styles. */
  #lists = 0;
  #level = 0;
  #text = '';
  /** The texts of the open paragraphs: a note or a box is inside the paragraph that it belongs to. */
  readonly #outer: string[] = [];
  #pages = 0;
  /** The shapes of the open slide. */
  #slide: SlideShape[] | undefined;
  #shape: OpenShape | undefined;
  #hidden = 0;
  /** Only in a spreadsheet, the name of a table is shown. */
  #isSpreadsheet = false;
  readonly #input: FileInput;
  /** The style that is read, and the styles of what is hidden. */
  #styleName = '';
  readonly #hiddenStyles = new Set<string>();

  /** The element whose content is read; undefined for the whole document. */
  readonly #only: string | undefined;

  constructor(to: Extraction, input: FileInput, only?: string) {
    this.#to = to;
    this.#input = input;
    this.#only = only;
    if (only !== undefined) this.#hidden++;
  }

  open = (name: string, attributes: Attributes): void => {
    if (name === this.#only) this.#hidden--;
    if (this.#shape !== undefined) this.#shape.depth++;
    else if (this.#slide !== undefined) this.#shape = shapeOf(attributes);
    const table = this.#tables.at(-1);
    switch (name) {
      case 'spreadsheet':
        this.#isSpreadsheet = true;
        break;
      case 'h':
        this.#level = Number(attributes.get('outline-level') ?? 1);
        this.#start();
        break;
      case 'p':
      case 'binary-data':
        this.#start();
        break;
      case 's':
        this.#text += ' '.repeat(Math.min(MAX_REPEATED, Number(attributes.get('c') ?? 1)));
        break;
      case 'tab':
        this.#text += '\t';
        break;
      case 'line-break':
        this.#text += '\n';
        break;
      case 'list':
        this.#lists++;
        break;
      case 'tracked-changes':
        this.#hidden++;
        break;
      case 'page':
        if (this.#hidden > 0) break;
        this.#to.add({ kind: 'page', number: ++this.#pages });
        this.#slide = [];
        this.#shape = undefined;
        break;
      case 'notes':
        this.#endSlide();
        break;
      case 'table':
        this.#openTable(attributes);
        break;
      case 'style':
        this.#styleName = attributes.get('name') ?? '';
        break;
      case 'table-properties':
        if (attributes.get('display') === 'false') this.#hiddenStyles.add(this.#styleName);
        break;
      case 'table-column':
        if (table !== undefined) {
          const count = Number(attributes.get('number-columns-repeated') ?? 1);
          if (isHiddenPart(attributes)) table.hiddenColumns.push([table.columns, table.columns + count]);
          table.columns += count;
        }
        break;
      case 'table-row':
        if (table !== undefined) {
          table.rowRepeated = Math.min(MAX_REPEATED, Number(attributes.get('number-rows-repeated') ?? 1));
          table.rows.push([]);
          table.isRowHidden = isHiddenPart(attributes);
          table.column = 0;
        }
        break;
      case 'table-cell':
      case 'covered-table-cell':
        if (table !== undefined) {
          table.cell = '';
          table.date = this.#input.options.dates === 'iso' ? isoDateOf(attributes) : undefined;
          table.repeated = Math.min(MAX_REPEATED, Number(attributes.get('number-columns-repeated') ?? 1));
        }
        break;
    }
  };

  close = (name: string): void => {
    if (name === this.#only) this.#hidden++;
    if (name === 'page') this.#endSlide();
    const table = this.#tables.at(-1);
    switch (name) {
      case 'h':
      case 'p':
        this.#end(name === 'h');
        break;
      case 'binary-data':
        // An image, which is no text.
        this.#text = this.#outer.pop() ?? '';
        break;
      case 'list':
        this.#lists--;
        break;
      case 'tracked-changes':
        this.#hidden--;
        break;
      case 'table-cell':
      case 'covered-table-cell':
        if (table?.date !== undefined && table.cell !== '') table.cell = table.date;
        if (table !== undefined) this.#endCell(table);
        break;
      case 'table-row': {
        const row = table?.rows.at(-1);
        const times = row?.some((cell) => cell !== '') ? (table?.rowRepeated ?? 1) : 1;
        for (let i = 1; i < times; i++) table?.rows.push([...(row ?? [])]);
        break;
      }
      case 'table':
        this.#endTable();
        break;
    }
    if (this.#shape === undefined || --this.#shape.depth > 0) return;
    const { place, isTitle, blocks } = this.#shape;
    this.#slide?.push(shapeWith(place, isTitle, blocks));
    this.#shape = undefined;
  };

  #endSlide(): void {
    for (const { blocks } of inReadingOrder(this.#slide ?? [], [])) for (const block of blocks) this.#to.add(block);
    this.#slide = this.#shape = undefined;
  }

  /** Adds a block. Those of a slide wait for the other shapes. */
  #add(block: Block): void {
    if (this.#shape !== undefined) this.#shape.blocks.push(block);
    else if (this.#slide === undefined) this.#to.add(block);
    else this.#slide.push(shapeWith(undefined, false, [block]));
  }

  text = (text: string): void => {
    if (this.#outer.length > 0) this.#text += text;
  };

  #openTable(attributes: Attributes): void {
    const isSheet = this.#isSpreadsheet && this.#tables.length === 0;
    const isHidden = isSheet && this.#hiddenStyles.has(attributes.get('style-name') ?? '');
    const isOmitted = !isShown(isHidden, this.#input);
    if (isOmitted) this.#hidden++;
    if (isSheet) this.#pages++;
    const name = hiddenText(isHidden, attributes.get('name') ?? '', this.#input);
    if (isSheet && !isOmitted) this.#to.add({ kind: 'page', number: this.#pages, name });
    this.#tables.push({
      rows: [],
      cell: '',
      date: undefined,
      repeated: 1,
      rowRepeated: 1,
      isOmitted,
      isRowHidden: false,
      hiddenColumns: [],
      columns: 0,
      column: 0,
    });
  }

  #endCell(table: OpenTable): void {
    const { column, hiddenColumns, isRowHidden, cell } = table;
    const isHidden = isRowHidden || hiddenColumns.some(([from, to]) => column >= from && column < to);
    const times = cell === '' ? 1 : table.repeated;
    table.column += table.repeated;
    if (!isShown(isHidden, this.#input)) return;
    const text = hiddenText(isHidden, cell, this.#input);
    for (let i = 0; i < times; i++) table.rows.at(-1)?.push(text);
  }

  #start(): void {
    this.#outer.push(this.#text);
    this.#text = '';
  }

  #end(isHeading: boolean): void {
    const text = this.#text;
    this.#text = this.#outer.pop() ?? '';
    if (this.#hidden > 0) return;
    const table = this.#tables.at(-1);
    if (table !== undefined) table.cell = table.cell === '' ? text : `${table.cell}\n${text}`;
    else if (isHeading) this.#add({ kind: 'heading', level: this.#level, text });
    else if (this.#lists > 0) this.#add({ kind: 'item', depth: this.#lists - 1, ordered: false, text });
    else this.#add({ kind: 'paragraph', text });
  }

  #endTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    if (table.isOmitted) {
      this.#hidden--;
      return;
    }
    const rows = table.rows.filter((row) => row.some((cell) => cell !== ''));
    const outer = this.#tables.at(-1);
    if (outer !== undefined) outer.cell = `${outer.cell}\n${rows.map((row) => row.join(' ')).join('\n')}`.trim();
    else if (rows.length > 0) this.#add({ kind: 'table', rows });
  }
}

function shapeWith(place: Place | undefined, isTitle: boolean, blocks: readonly Block[]): SlideShape {
  return { place, placeholder: undefined, isTitle, isHidden: false, blocks, relations: [], shapes: [] };
}

/** Returns the shape that an element begins; undefined if the element has no place. */
function shapeOf(attributes: Attributes): OpenShape | undefined {
  const [x, y, height] = ['x', 'y', 'height'].map((name) => pointsOf(attributes.get(name)));
  if (x === undefined || y === undefined) return undefined;
  const isTitle = attributes.get('class') === 'title';
  return { place: { x, y, height: height ?? 0 }, isTitle, blocks: [], depth: 1 };
}

/** The units of lengths in points. */
const UNITS: Readonly<Record<string, number>> = { cm: 28.35, mm: 2.835, in: 72, pt: 1, pc: 12, px: 0.75 };

function pointsOf(length: string | undefined): number | undefined {
  const [, number, unit = ''] = /^(-?[\d.]+)([a-z]+)$/.exec(length ?? '') ?? [];
  const points = UNITS[unit];
  return number === undefined || points === undefined ? undefined : Number(number) * points;
}

/** Returns whether a row or a column is hidden, also by a filter. */
function isHiddenPart(attributes: Attributes): boolean {
  return /^(collapse|filter)$/.test(attributes.get('visibility') ?? '');
}

/** Returns the date or the time of a cell as ISO: a time is a duration, `PT15H30M00S`. */
function isoDateOf(attributes: Attributes): string | undefined {
  const date = attributes.get('date-value');
  if (date !== undefined) return date.replace(/\.0+$/, '');
  const [, hours, minutes = '00', seconds = '00'] =
    /^PT(\d+)H(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?$/.exec(attributes.get('time-value') ?? '') ?? [];
  return hours === undefined ? undefined : [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':');
}
