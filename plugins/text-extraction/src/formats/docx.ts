import type { Block, Extraction } from '../blocks/blocks.ts';
import type { FormatReader, HiddenParts } from './format.ts';
import { HIDDEN_END, HIDDEN_START } from './hidden.ts';
import { readOfficeParts } from './office-parts.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { readRelations } from './relations.ts';
import { type Attributes, readXml } from './xml.ts';
import { readZip, type ZipEntry } from './zip.ts';

/** What a paragraph style means. */
interface Style {
  /** The level of a heading. */
  readonly level?: number | undefined;
  /** The list that paragraphs of this style belong to. */
  readonly list?: string;
  /** Whether the text is hidden. */
  readonly isHidden?: boolean;
}

/** Reads Word files: headers, the body with headings, lists and tables, notes and comments, footers. */
export const readDocx: FormatReader = async (input, to) => {
  const { bytes, budget, options, readInner } = input;
  const entries = await readZip(bytes, budget);
  const find = (pattern: RegExp) => entries.filter(({ name }) => pattern.test(name));
  await readOfficeProperties(entries, to);
  const styles = await readStyles(find(/^word\/styles\.xml$/)[0]);
  const numbering = await readNumbering(find(/^word\/numbering\.xml$/)[0]);
  const parts = [
    ...find(/^word\/header\d*\.xml$/),
    ...find(/^word\/document\d*\.xml$/),
    ...find(/^word\/(footnotes|endnotes|comments)\.xml$/),
    ...find(/^word\/footer\d*\.xml$/),
  ];
  if (find(/^word\/document\d*\.xml$/).length === 0) throw new Error('it has no document');
  for (const part of parts) {
    const content = new WordPart(styles, numbering, options.hidden, to);
    readXml(await part.read(), content);
    if (content.files.length === 0) continue;
    const relations = await readRelations(entries, part.name);
    for (const id of content.files) {
      const file = entries.find(({ name }) => name === relations.get(id)?.path);
      if (file !== undefined) await readInner(await file.read(), undefined, to);
    }
  }
  await readOfficeParts(entries, input, to);
  await readOfficeImages(entries, to);
};

/** The formats of lists: for each list and depth, whether it counts. */
type Numbering = ReadonlyMap<string, boolean>;

class WordPart {
  /** The ids of the files that are shown as a part of the text. */
  readonly files: string[] = [];
  readonly #styles: ReadonlyMap<string, Style>;
  readonly #numbering: Numbering;
  readonly #hiddenText: HiddenParts;
  readonly #to: Extraction;
  /** The rows of the open tables, the outermost first. Text of an inner table is a part of its cell. */
  readonly #tables: { rows: string[][] }[] = [];
  #text = '';
  #inText = false;
  /** Whether the text is the author of a comment whose first paragraph follows. */
  #isComment = false;
  #style: Style | undefined;
  #list: { id: string; depth: number } | undefined;
  /** How many elements are open whose text is not shown, such as text that was deleted or moved away. */
  #hidden = 0;

  /** Whether the elements of a run are open, and whether its text is hidden. */
  #inRun = false;
  #isRunHidden = false;
  /** Whether the text ends with hidden text whose mark is open. */
  #isMarkOpen = false;

  constructor(styles: ReadonlyMap<string, Style>, numbering: Numbering, hiddenText: HiddenParts, to: Extraction) {
    this.#styles = styles;
    this.#numbering = numbering;
    this.#hiddenText = hiddenText;
    this.#to = to;
  }

  open = (name: string, attributes: Attributes): void => {
    switch (name) {
      case 'p':
        // A text box is a paragraph inside a paragraph.
        if (this.#text !== '' && !this.#isComment) this.#endParagraph();
        this.#isComment = false;
        this.#style = this.#list = undefined;
        break;
      case 'r':
        this.#inRun = true;
        this.#isRunHidden = this.#style?.isHidden === true;
        break;
      case 'vanish':
        if (this.#inRun) this.#isRunHidden = !/^(0|false|off)$/.test(attributes.get('val') ?? '');
        break;
      case 'rStyle':
        if (this.#inRun) this.#isRunHidden ||= this.#styles.get(attributes.get('val') ?? '')?.isHidden === true;
        break;
      case 'pStyle':
        this.#style = this.#styles.get(attributes.get('val') ?? '');
        break;
      case 'outlineLvl':
        this.#style ??= levelOf(attributes);
        break;
      case 'numId':
        this.#list = { id: attributes.get('val') ?? '', depth: this.#list?.depth ?? 0 };
        break;
      case 'ilvl':
        this.#list = { id: this.#list?.id ?? '', depth: Number(attributes.get('val') ?? 0) };
        break;
      case 't':
        this.#inText = true;
        break;
      case 'tab':
        this.#add('\t');
        break;
      case 'br':
      case 'cr':
        this.#add('\n');
        break;
      case 'softHyphen':
        this.#add('\u00ad');
        break;
      case 'comment':
        this.#text = attributes.get('author') !== undefined ? `${attributes.get('author')}: ` : '';
        this.#isComment = true;
        break;
      case 'altChunk':
        this.files.push(attributes.get('id') ?? '');
        break;
      case 'noBreakHyphen':
        this.#add('-');
        break;
      case 'del':
      case 'moveFrom':
      case 'Fallback':
        this.#hidden++;
        break;
      case 'tbl':
        this.#tables.push({ rows: [] });
        break;
      case 'tr':
        this.#tables.at(-1)?.rows.push([]);
        break;
      case 'tc':
        this.#tables.at(-1)?.rows.at(-1)?.push('');
        break;
    }
  };

  close = (name: string): void => {
    switch (name) {
      case 't':
        this.#inText = false;
        break;
      case 'r':
        this.#inRun = this.#isRunHidden = false;
        break;
      case 'p':
        this.#endParagraph();
        break;
      case 'del':
      case 'moveFrom':
      case 'Fallback':
        this.#hidden--;
        break;
      case 'tbl':
        this.#endTable();
        break;
    }
  };

  text = (text: string): void => {
    if (this.#inText) this.#add(text);
  };

  #add(text: string): void {
    if (this.#hidden > 0 || (this.#isRunHidden && this.#hiddenText === 'omit')) return;
    const isMarked = this.#isRunHidden && this.#hiddenText === 'mark';
    if (isMarked && !this.#isMarkOpen) this.#text += HIDDEN_START;
    else if (!isMarked) this.#endMark();
    this.#isMarkOpen = isMarked;
    this.#text += text;
  }

  #endMark(): void {
    if (this.#isMarkOpen) this.#text += HIDDEN_END;
    this.#isMarkOpen = false;
  }

  #endParagraph(): void {
    this.#endMark();
    const text = this.#text;
    this.#text = '';
    const row = this.#tables.at(-1)?.rows.at(-1);
    if (row !== undefined && row.length > 0) {
      const cell = row[row.length - 1] as string;
      row[row.length - 1] = cell === '' ? text : `${cell}\n${text}`;
      return;
    }
    this.#to.add(this.#blockOf(text));
  }

  #blockOf(text: string): Block {
    const level = this.#style?.level;
    if (level !== undefined) return { kind: 'heading', level, text };
    const { list: ofStyle } = this.#style ?? {};
    const list = this.#list ?? (ofStyle === undefined ? undefined : { id: ofStyle, depth: 0 });
    // The list 0 removes a paragraph from its list.
    if (list === undefined || list.id === '0' || list.id === '') return { kind: 'paragraph', text };
    const ordered = this.#numbering.get(`${list.id} ${list.depth}`) ?? false;
    return { kind: 'item', depth: list.depth, ordered, text };
  }

  #endTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    const outer = this.#tables.at(-1)?.rows.at(-1);
    if (outer === undefined || outer.length === 0) {
      this.#to.add({ kind: 'table', rows: table.rows });
      return;
    }
    const inner = table.rows.map((row) => row.join(' ')).join('\n');
    outer[outer.length - 1] = `${outer.at(-1)}\n${inner}`.trim();
  }
}

async function readStyles(entry: ZipEntry | undefined): Promise<Map<string, Style>> {
  const styles = new Map<string, Style>();
  if (entry === undefined) return styles;
  let id = '';
  const basedOn = new Map<string, string>();
  readXml(await entry.read(), {
    open(name, attributes) {
      if (name === 'style') id = attributes.get('styleId') ?? '';
      else if (name === 'basedOn') basedOn.set(id, attributes.get('val') ?? '');
      else if (name === 'vanish' && attributes.get('val') === undefined) {
        styles.set(id, { ...styles.get(id), isHidden: true });
      } else if (name === 'outlineLvl') styles.set(id, { ...styles.get(id), ...levelOf(attributes) });
      else if (name === 'numId') styles.set(id, { ...styles.get(id), list: attributes.get('val') ?? '' });
      else if (name === 'name' && /^title$/i.test(attributes.get('val') ?? ''))
        styles.set(id, { ...styles.get(id), level: 1 });
    },
  });
  for (const [child, parent] of basedOn) {
    const inherited = styles.get(parent);
    if (inherited !== undefined && !styles.has(child)) styles.set(child, inherited);
  }
  return styles;
}

/** Level 9 is body text. */
function levelOf(attributes: Attributes): Style {
  const level = Number(attributes.get('val'));
  return { level: Number.isInteger(level) && level < 9 ? level + 1 : undefined };
}

async function readNumbering(entry: ZipEntry | undefined): Promise<Numbering> {
  const numbering = new Map<string, boolean>();
  if (entry === undefined) return numbering;
  /** For each abstract list and depth, whether it counts. */
  const abstract = new Map<string, boolean>();
  const lists = new Map<string, string>();
  let id = '';
  let depth = '';
  readXml(await entry.read(), {
    open(name, attributes) {
      const value = attributes.get('val') ?? '';
      if (name === 'abstractNum') id = attributes.get('abstractNumId') ?? '';
      else if (name === 'num') id = attributes.get('numId') ?? '';
      else if (name === 'lvl') depth = attributes.get('ilvl') ?? '0';
      else if (name === 'numFmt') abstract.set(`${id} ${depth}`, value !== 'bullet' && value !== 'none');
      else if (name === 'abstractNumId') lists.set(id, value);
    },
  });
  for (const [list, of] of lists) {
    for (let level = 0; level < 9; level++) {
      numbering.set(`${list} ${level}`, abstract.get(`${of} ${level}`) ?? false);
    }
  }
  return numbering;
}
