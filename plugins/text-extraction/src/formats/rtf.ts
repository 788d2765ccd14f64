import iconv from 'iconv-lite';
import type { Extraction } from '../blocks/blocks.ts';
import { bmpOf } from './bmp.ts';
import type { FormatReader } from './format.ts';
import { embeddedFile } from './ole.ts';
import { Pictures } from './pictures.ts';

/**
 * Groups whose text is not a part of the document. The text of a group that begins with \* is ignored too. (Source: Rich
 * Text Format Specification 1.9.1.)
 */
const IGNORED = new Set(
  'fonttbl colortbl stylesheet info pict shprslt listtable listoverridetable rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl filetbl revtbl fldinst'.split(
    ' ',
  ),
);
const CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    tab: '\t',
    line: '\n',
    emdash: '—',
    endash: '–',
    lquote: '‘',
    rquote: '’',
    ldblquote: '“',
    rdblquote: '”',
    bullet: '•',
    emspace: ' ',
    enspace: ' ',
    '~': '\u00a0',
    _: '-',
  }),
);
/** The charsets of fonts (\fcharset) and their code pages. */
const CHARSETS: Readonly<Record<number, number>> = {
  0: 1252,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
};

/** The settings of a group; inner groups inherit them. */
interface Group {
  readonly ignored: boolean;
  /** How many characters replace a Unicode character for old readers. */
  readonly fallback: number;
  readonly font: number;
  /** What the text of the group is, if it is not a part of the document: embedded bytes, a picture, or a property. */
  readonly capture?: string | undefined;
  /** Whether pictures in the group are copies for old readers. */
  readonly isCopy?: boolean;
  /** Whether the group is a picture whose format is not known yet. */
  readonly isPicture?: boolean;
}

/** The formats of pictures that are read: the others are metafiles, and bitmaps of old devices. */
const PICTURE_FORMATS = new Set(['pngblip', 'jpegblip', 'dibitmap']);
/** Groups with a copy of a picture or a drawing for old readers. */
const COPIES = new Set(['nonshppict', 'shprslt']);
/** Groups that begin with \\* although they are shown, and text boxes inside such a group. */
const SHOWN = new Set(['annotation', 'atnauthor', 'shptxt']);
/** The properties in the group info, and the names of Tika. */
const PROPERTIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    title: ['dc:title'],
    subject: ['dc:subject'],
    author: ['dc:creator'],
    keywords: ['meta:keyword', 'dc:subject'],
    doccomm: ['w:Comments'],
    company: ['extended-properties:Company'],
    category: ['cp:category'],
    manager: ['extended-properties:Manager'],
    operator: ['meta:last-author'],
    creatim: ['dcterms:created'],
    revtim: ['dcterms:modified'],
    printim: ['meta:print-date'],
  }),
);
const COUNTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    nofpages: ['meta:page-count', 'xmpTPg:NPages'],
    nofwords: ['meta:word-count'],
    nofchars: ['meta:character-count'],
  }),
);

const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

/** Reads Rich Text Format. */
export const readRtf: FormatReader = async ({ bytes, budget, readInner }, to) => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const text = new RtfText(to, new Pictures(to, budget));
  TOKEN.lastIndex = 0;
  let truncated: Error | undefined;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const [, word, number, hex, symbol, brace, plain] = match;
    if (word === 'bin') {
      const start = TOKEN.lastIndex;
      const length = Math.max(0, Number(number ?? 0));
      if (start + length > source.length) {
        const left = source.length - start;
        truncated = new Error(
          `the file is truncated: \\bin at byte ${match.index} has ${length} bytes, but only ${left} follow`,
        );
        break;
      }
      TOKEN.lastIndex = start + length;
      text.binary(source, start, TOKEN.lastIndex);
    } else if (word !== undefined) text.control(word, number === undefined ? undefined : Number(number));
    else if (hex !== undefined) text.byte(Number.parseInt(hex, 16));
    else if (symbol !== undefined) text.symbol(symbol);
    else if (brace !== undefined) text.brace(brace);
    else if (plain !== undefined) text.plain(plain);
  }
  text.end();
  for (const object of text.objects) {
    const file = embeddedFile(Buffer.from(object, 'hex'));
    if (file !== undefined) await readInner(file.bytes, file.name, to);
  }
  if (truncated !== undefined) throw truncated;
};

class RtfText {
  /** The embedded objects, in hexadecimal digits. */
  readonly objects: string[] = [];
  #captured = '';
  readonly #time = new Map<string, number>();
  readonly #to: Extraction;
  readonly #pictures: Pictures;
  readonly #groups: Group[] = [];
  #group: Group = { ignored: false, fallback: 1, font: -1 };
  #codePage = 1252;
  readonly #fonts = new Map<number, number>();
  #inFonts = false;
  /** Bytes of a code page that wait for the rest of their character. */
  #bytes: number[] = [];
  #skip = 0;
  #text = '';
  #row: string[] | undefined;
  #rows: string[][] = [];
  #groupStart = false;

  constructor(to: Extraction, pictures: Pictures) {
    this.#to = to;
    this.#pictures = pictures;
  }

  control(word: string, number: number | undefined): void {
    this.#flush();
    const starts = this.#groupStart;
    this.#groupStart = false;
    if (starts && (word === 'objdata' || PROPERTIES.has(word))) {
      this.#set({ ignored: true, capture: word });
      return;
    }
    if (starts && SHOWN.has(word)) {
      this.#endParagraph();
      this.#set({ ignored: false });
      return;
    }
    if (starts && COPIES.has(word)) this.#set({ isCopy: true });
    if (starts && IGNORED.has(word)) {
      this.#inFonts = word === 'fonttbl';
      this.#set({ ignored: true, isPicture: word === 'pict' && !this.#group.isCopy && this.#pictures.wanted });
      return;
    }
    if (this.#group.isPicture && PICTURE_FORMATS.has(word)) {
      this.#set({ capture: word });
      return;
    }
    switch (word) {
      case 'ansicpg':
        if (number !== undefined) this.#codePage = number;
        break;
      case 'mac':
        this.#codePage = 10000;
        break;
      case 'f':
        this.#set({ font: number ?? -1 });
        break;
      case 'fcharset':
        if (this.#inFonts) this.#fonts.set(this.#group.font, CHARSETS[number ?? 0] ?? this.#codePage);
        break;
      case 'uc':
        this.#set({ fallback: number ?? 1 });
        break;
      case 'u':
        if (this.#skip === 0) this.#append(String.fromCharCode((number ?? 0) & 0xffff));
        this.#skip = this.#group.fallback;
        break;
      case 'par':
      case 'sect':
      case 'page':
        this.#endParagraph();
        break;
      case 'cell':
      case 'nestcell':
        this.#row ??= [];
        this.#row.push(this.#take());
        break;
      case 'row':
      case 'nestrow':
        if (this.#row !== undefined) this.#rows.push(this.#row);
        this.#row = undefined;
        break;
      case 'yr':
      case 'mo':
      case 'dy':
      case 'hr':
      case 'min':
      case 'sec':
        this.#time.set(word, number ?? 0);
        break;
      default: {
        for (const name of COUNTS.get(word) ?? []) if (number !== 0) this.#to.describe(name, number);
        const character = CHARACTERS.get(word);
        if (character !== undefined) this.#append(character);
      }
    }
  }

  byte(value: number): void {
    if (this.#skip > 0) this.#skip--;
    else if (!this.#group.ignored || this.#group.capture !== undefined) this.#bytes.push(value);
  }

  /** Bytes that are not in hexadecimal digits. */
  binary(source: string, start: number, end: number): void {
    this.#flush();
    const { capture = '' } = this.#group;
    if (capture === 'objdata' || PICTURE_FORMATS.has(capture)) {
      this.#append(Buffer.from(source.slice(start, end), 'latin1').toString('hex'));
    }
  }

  symbol(symbol: string): void {
    this.#flush();
    if (symbol === '*' && this.#groupStart) {
      this.#set({ ignored: true });
      return;
    }
    this.#groupStart = false;
    if (symbol === '-') this.#append('\u00ad');
    else if (symbol === '\n' || symbol === '\r') this.#endParagraph();
    else this.#append(CHARACTERS.get(symbol) ?? (/[\\{}]/.test(symbol) ? symbol : ''));
  }

  brace(brace: string): void {
    this.#flush();
    this.#skip = 0;
    if (brace === '{') {
      this.#groups.push(this.#group);
      // Groups inside a picture describe it.
      if (this.#group.isPicture) this.#set({ isPicture: false, capture: undefined });
      this.#groupStart = true;
      return;
    }
    this.#groupStart = false;
    const { capture } = this.#group;
    this.#group = this.#groups.pop() ?? this.#group;
    if (capture !== undefined && this.#group.capture !== capture) this.#endCapture(capture);
    if (!this.#group.ignored) this.#inFonts = false;
  }

  plain(text: string): void {
    this.#flush();
    this.#groupStart = false;
    const shown = text.slice(this.#skip);
    this.#skip = Math.max(0, this.#skip - text.length);
    // Bytes above 127 are not allowed here, but some writers use them.
    if (/[\x80-\xff]/.test(shown)) {
      if (!this.#group.ignored) this.#bytes.push(...Buffer.from(shown, 'latin1'));
      this.#flush();
    } else this.#append(shown);
  }

  end(): void {
    this.#flush();
    this.#endParagraph();
    this.#endTable();
  }

  #set(changed: Partial<Group>): void {
    this.#group = { ...this.#group, ...changed };
  }

  #append(text: string): void {
    if (!this.#group.ignored) this.#text += text;
    else if (this.#group.capture !== undefined) this.#captured += text;
  }

  #endCapture(capture: string): void {
    const text = this.#captured;
    this.#captured = '';
    const part = (name: string) => String(this.#time.get(name) ?? 0).padStart(2, '0');
    if (capture === 'objdata') this.objects.push(text);
    else if (PICTURE_FORMATS.has(capture)) this.#picture(capture, text);
    else if (this.#time.size === 0) for (const name of PROPERTIES.get(capture) ?? []) this.#to.describe(name, text);
    else if (this.#time.get('yr') !== 0) {
      const time = `${part('yr')}-${part('mo')}-${part('dy')}T${part('hr')}:${part('min')}:${part('sec')}Z`;
      for (const name of PROPERTIES.get(capture) ?? []) this.#to.describe(name, time);
    }
    this.#time.clear();
  }

  #picture(format: string, digits: string): void {
    const bytes = Buffer.from(digits.replace(/\s+/g, ''), 'hex');
    const picture = format === 'dibitmap' ? bmpOf(bytes) : bytes;
    if (picture !== undefined) this.#pictures.add(picture);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const page = this.#fonts.get(this.#group.font) ?? this.#codePage;
    const encoding = iconv.encodingExists(`cp${page}`) ? `cp${page}` : 'cp1252';
    this.#append(iconv.decode(Buffer.from(this.#bytes), encoding));
    this.#bytes = [];
  }

  #take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  #endParagraph(): void {
    if (this.#row !== undefined) {
      this.#text += '\n';
      return;
    }
    const text = this.#take();
    if (text.trim() === '') return;
    this.#endTable();
    this.#to.add({ kind: 'paragraph', text });
  }

  #endTable(): void {
    if (this.#rows.length > 0) this.#to.add({ kind: 'table', rows: this.#rows });
    this.#rows = [];
  }
}
