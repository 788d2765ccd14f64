import iconv from 'iconv-lite';
import type { Extraction } from '../blocks/blocks.ts';
import type { FormatReader } from './format.ts';

/**
 * Groups whose text is not a part of the document. The text of a group that begins with \* is ignored too. (Source: Rich
 * Text Format Specification 1.9.1.)
 */
const IGNORED = new Set(
  'fonttbl colortbl stylesheet info pict object listtable listoverridetable rsidtbl generator themedata colorschememapping datastore latentstyles xmlnstbl filetbl revtbl fldinst'.split(
    ' ',
  ),
);
const CHARACTERS: Readonly<Record<string, string>> = {
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
};
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
}

const TOKEN = /\\([a-z]+)(-?\d+)? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

/** Reads Rich Text Format. */
export const readRtf: FormatReader = ({ bytes }, to) => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const text = new RtfText(to);
  for (const [, word, number, hex, symbol, brace, plain] of source.matchAll(TOKEN)) {
    if (word !== undefined) text.control(word, number === undefined ? undefined : Number(number));
    else if (hex !== undefined) text.byte(Number.parseInt(hex, 16));
    else if (symbol !== undefined) text.symbol(symbol);
    else if (brace !== undefined) text.brace(brace);
    else if (plain !== undefined) text.plain(plain);
  }
  text.end();
};

class RtfText {
  readonly #to: Extraction;
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

  constructor(to: Extraction) {
    this.#to = to;
  }

  control(word: string, number: number | undefined): void {
    this.#flush();
    const starts = this.#groupStart;
    this.#groupStart = false;
    if (starts && IGNORED.has(word)) {
      this.#inFonts = word === 'fonttbl';
      this.#set({ ignored: true });
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
      case 'bin':
        this.#skip = number ?? 0;
        break;
      default: {
        const character = CHARACTERS[word];
        if (character !== undefined) this.#append(character);
      }
    }
  }

  byte(value: number): void {
    if (this.#skip > 0) this.#skip--;
    else if (!this.#group.ignored) this.#bytes.push(value);
  }

  symbol(symbol: string): void {
    this.#flush();
    if (symbol === '*' && this.#groupStart) {
      this.#set({ ignored: true });
      return;
    }
    this.#groupStart = false;
    if (symbol === '\n' || symbol === '\r') this.#endParagraph();
    else if (symbol !== '-') this.#append(CHARACTERS[symbol] ?? (/[\\{}]/.test(symbol) ? symbol : ''));
  }

  brace(brace: string): void {
    this.#flush();
    this.#skip = 0;
    if (brace === '{') {
      this.#groups.push(this.#group);
      this.#groupStart = true;
      return;
    }
    this.#groupStart = false;
    this.#group = this.#groups.pop() ?? this.#group;
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
