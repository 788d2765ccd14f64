import { type CsvDialect, CsvParser } from '@headrace/formats/records/csv';
import type { ByteSource } from '../byte-source.ts';
import { collect, resumed } from '../read-ahead.ts';
import { type CsvSettings, dialectOf, isAutoSeparator } from './csv-settings.ts';

const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);
/** The number of bytes that are read to find a line `sep=;` of Excel, and to detect the separator. */
const EXCEL_BYTES = 16;
const SAMPLE_BYTES = 64 * 1024;
/** The separators that are common, the most common one first. */
const COMMON = [',', ';', '\t', '|'];
/** The number of rows that decide which separator a file has. */
const SAMPLE_ROWS = 100;

/** The beginning of a CSV file. */
export interface CsvStart {
  readonly dialect: CsvDialect;
  /** The file from its first record on. */
  readonly bytes: ByteSource;
  /** The line of the first record, counted from 1. */
  readonly line: number;
  /** Why the separator may be wrong, and what helps. */
  readonly doubt: string | undefined;
}

/**
 * Skips the lines before the first record: those of `skipLines`, Excel's line `sep=;`, and with `commentPrefix` comments
 * and blank lines. With the separator `auto`, it also detects the separator.
 */
export async function readStart(source: ByteSource, settings: CsvSettings): Promise<CsvStart> {
  const { skipLines, commentPrefix } = settings;
  const start = new Start(source[Symbol.asyncIterator]());
  for (let skipped = 0; skipped < skipLines; skipped++) if (!(await start.skipLine())) break;
  const excel = await start.skipExcelLine();
  if (skipLines > 0 || commentPrefix !== '') await start.skipLinesThat((line) => isNoRecord(line, commentPrefix));
  const dialect = dialectOf(settings);
  let doubt: string | undefined;
  if (!isAutoSeparator(settings)) {
    if (excel !== undefined && excel !== dialect.separator) {
      doubt = `the file begins with sep=${excel}: ${separatorHint(excel)}, or separatorChar: auto`;
    }
    return { dialect, bytes: start.bytes(), line: start.line, doubt };
  }
  if (excel !== undefined) {
    return { dialect: { ...dialect, separator: excel }, bytes: start.bytes(), line: start.line, doubt };
  }
  const { separator, isClear } = detectSeparator(await start.sample(), dialect);
  if (!isClear) doubt = `auto chose ${JSON.stringify(separator)}, which is a guess: set separatorChar to be sure`;
  return { dialect: { ...dialect, separator }, bytes: start.bytes(), line: start.line, doubt };
}

/** Returns what sets a separator. */
export function separatorHint(separator: string): string {
  return separator === '\t' ? 'set useTabs: true' : `set separatorChar: ${JSON.stringify(separator)}`;
}

/** Returns the common separator that is probably meant, if a header has only this cell. */
export function otherSeparator(cell: string, separator: string): string | undefined {
  const counts = COMMON.filter((other) => other !== separator).map((other) => cell.split(other).length - 1);
  const most = Math.max(...counts);
  return most === 0 ? undefined : COMMON.filter((other) => other !== separator)[counts.indexOf(most)];
}

function isNoRecord(line: string, commentPrefix: string): boolean {
  return line.trim() === '' || (commentPrefix !== '' && line.startsWith(commentPrefix));
}

/** Reads a file line by line up to its first record. */
class Start {
  /** The line of the next byte, counted from 1. */
  line = 1;
  readonly #pieces: AsyncIterator<Uint8Array>;
  #head: Buffer = NOTHING;
  #ended = false;

  constructor(pieces: AsyncIterator<Uint8Array>) {
    this.#pieces = pieces;
  }

  bytes(): ByteSource {
    return resumed(this.#head, this.#pieces);
  }

  /** Skips a line of any length. Returns false if the file has no more lines. */
  async skipLine(): Promise<boolean> {
    for (;;) {
      const { next } = lineAt(this.#head, this.#ended);
      if (next > 0) {
        this.#pass(next);
        return true;
      }
      if (this.#ended) {
        this.#head = NOTHING;
        return false;
      }
      // Only a CR at the end matters: an LF may follow.
      this.#head = this.#head.at(-1) === CR ? this.#head.subarray(-1) : NOTHING;
      await this.#read(this.#head.length + 1);
    }
  }

  /** Skips the lines for which a function returns true, up to the first other line. */
  async skipLinesThat(isSkipped: (line: string) => boolean): Promise<void> {
    for (;;) {
      let { end, next } = lineAt(this.#head, this.#ended);
      while (next === 0 && !this.#ended && this.#head.length < SAMPLE_BYTES) {
        await this.#read(this.#head.length + 1);
        ({ end, next } = lineAt(this.#head, this.#ended));
      }
      if (next === 0 || !isSkipped(this.#head.toString('utf8', 0, end))) return;
      this.#pass(next);
    }
  }

  /** Skips the line `sep=;` that Excel understands. Returns its separator. */
  async skipExcelLine(): Promise<string | undefined> {
    await this.#read(EXCEL_BYTES);
    const found = /^"?sep=([^\r\n"]{1,8})"?(?:\r\n|\r|\n|$)/i.exec(this.#head.toString('utf8', 0, EXCEL_BYTES));
    if (found === null) return undefined;
    this.#pass(Buffer.byteLength(found[0]));
    return found[1];
  }

  /** Returns the first whole lines. */
  async sample(): Promise<string> {
    await this.#read(SAMPLE_BYTES);
    const text = this.#head.toString();
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
    return this.#ended || end < 0 ? text : text.slice(0, end + 1);
  }

  #pass(bytes: number): void {
    this.#head = this.#head.subarray(bytes);
    this.line++;
  }

  async #read(enough: number): Promise<void> {
    this.#head = await collect(this.#pieces, this.#head, enough);
    this.#ended = this.#head.length < enough;
  }
}

/**
 * Returns where the first line ends, and where the next one begins. `next` is 0 if that is not known: the bytes have no
 * line end, or only a CR, which an LF may follow.
 */
function lineAt(bytes: Buffer, isAll: boolean): { end: number; next: number } {
  const lf = bytes.indexOf(LF);
  const cr = bytes.indexOf(CR);
  const isCr = cr >= 0 && (lf < 0 || cr < lf);
  const end = isCr ? cr : lf;
  if (end < 0) return { end: bytes.length, next: isAll ? bytes.length : 0 };
  if (!isCr) return { end, next: end + 1 };
  if (cr + 1 === bytes.length && !isAll) return { end, next: 0 };
  return { end, next: bytes[cr + 1] === LF ? cr + 2 : cr + 1 };
}

/** Detects the separator of rows: with it, all rows have the same number of cells, and the most. */
function detectSeparator(sample: string, dialect: CsvDialect): { separator: string; isClear: boolean } {
  const candidates = COMMON.map((separator) => ({ separator, ...cellsOf(sample, { ...dialect, separator }) }));
  const several = candidates.filter(({ columns }) => columns > 1);
  const best = several.sort((a, b) => b.share - a.share || b.columns - a.columns)[0];
  if (best === undefined) return { separator: ',', isClear: true };
  const others = several.filter(({ share }) => share === best.share).length - 1;
  return { separator: best.separator, isClear: best.share === 1 && others === 0 };
}

/** Returns the number of cells of the first record, and the share of records that have as many. */
function cellsOf(sample: string, dialect: CsvDialect): { columns: number; share: number } {
  const parser = new CsvParser(dialect);
  parser.load(sample);
  let columns = 0;
  let rows = 0;
  let equal = 0;
  while (rows < SAMPLE_ROWS && !parser.done && parser.next()) {
    if (parser.comment || parser.blank) continue;
    if (rows === 0) columns = parser.count;
    rows++;
    if (parser.count === columns) equal++;
  }
  return { columns, share: rows === 0 ? 0 : equal / rows };
}
