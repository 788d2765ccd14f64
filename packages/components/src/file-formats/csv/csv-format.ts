import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { type CsvDialect, CsvParser, CsvScanner } from '@headrace/formats/records/csv';
import { type SourcePart, splitRecords } from '@headrace/formats/records/split';
import { asBuffer } from '../as-buffer.ts';
import type { SourceFile } from '../byte-source.ts';
import { openText } from '../encoding/open-text.ts';
import type { FormatContext } from '../format-context.ts';
import { CsvDecoder } from './csv-decoder.ts';
import { type HeaderProblem, readHeader } from './csv-header.ts';
import { type CsvSettings, hasHeader } from './csv-settings.ts';
import { otherSeparator, readStart, separatorHint } from './csv-start.ts';

const BACKSLASH = 92;
const ESCAPES = 'backslashes are read as escapes and removed; set ignoreEscapeChar: true to keep them';
const STRAY =
  'text follows the closing quote of a cell. It is read as part of the cell; a quote may be missing before it, so that ' +
  'rows are joined, or one inside the cell is not doubled';

/** The decoder of files with the same first record and the same separator, and what is wrong with their header. */
interface HeaderDecoder {
  readonly separator: string;
  readonly first: Uint8Array;
  readonly reference: ModuleReference;
  readonly problems: readonly HeaderProblem[];
}

/** Publishes CSV files. The run thread cuts them into chunks, and the pipeline threads decode the chunks. */
export class CsvFormat {
  readonly #settings: CsvSettings;
  readonly #context: FormatContext;
  /** The decoder of the last file. Most files of one source have the same header, so they share the decoder. */
  #decoder: HeaderDecoder | undefined;
  /** The warnings that were logged. Most files of a source have the same problems, so each is logged only once. */
  readonly #said = new Set<string>();

  get pathField(): string {
    return this.#settings.filePathField;
  }

  constructor(settings: CsvSettings, context: FormatContext) {
    this.#settings = settings;
    this.#context = context;
  }

  /**
   * Publishes the rows of a file. Stops early if the publisher's signal is aborted.
   *
   * Throws `HR_SOURCE_UNREADABLE` if the file cannot be read or its header cannot be used. Throws
   * `HR_SOURCE_INCOMPLETE` if a quote is never closed, so that its cell contains the rest of the file.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path, name } = file;
    const { log, notices } = this.#context;
    const { bytes: text, invalid } = openText(file, this.#settings, this.#context);
    const { bytes, dialect, line: firstLine, doubt } = await readStart(text, this.#settings);
    if (doubt !== undefined) this.#doubt(path, firstLine, doubt);
    const scanner = new CsvScanner(dialect, firstLine);
    const isNamed = hasHeader(this.#settings);
    let decoder: ModuleReference | undefined;
    let looksForEscapes = this.#settings.ignoreEscapeChar !== true;
    let strays = 0;
    for await (const part of splitRecords(bytes, scanner, { firstAlone: true })) {
      if (publisher.signal.aborted) return;
      const { record, line } = part.place;
      if (part.kind === 'records') invalid.look(part.bytes, [{ start: 0, end: part.bytes.length, line }]);
      if (scanner.strayCount > strays) strays = this.#warnOfStrays(path, scanner, strays);
      if (part.kind === 'unfinished' || (part.kind === 'too-long' && (part.cutOff || record === 0))) {
        throw this.#brokenOff(path, part, dialect);
      }
      if (part.kind === 'too-long') {
        const message = `the row is longer than ${part.limit} bytes: a quote may be missing, and rows may be inside it`;
        await publisher.reject({ place: `${path}:${line}`, message });
        continue;
      }
      if (decoder === undefined) {
        decoder = this.#decoderFor(part.bytes, dialect, path, line);
        if (isNamed || decoder === undefined) continue;
      }
      if (looksForEscapes && asBuffer(part.bytes).includes(BACKSLASH)) {
        looksForEscapes = false;
        this.#say(path, ESCAPES);
        notices.report('csv.backslash', { file: path });
      }
      // Rows count from 1.
      const position = { path, name, record: isNamed ? record : record + 1, line };
      await publisher.publishChunk({ bytes: part.bytes, decoder, position });
    }
    if (decoder === undefined && !publisher.signal.aborted) {
      log.warn(`${path} is empty: it has no ${isNamed ? 'header and no rows' : 'rows'}`);
      notices.report('file.empty', { file: path });
    }
  }

  /** Returns the decoder for the rows of a file that begins with this record. */
  #decoderFor(first: Uint8Array, dialect: CsvDialect, path: string, line: number): ModuleReference | undefined {
    let decoder = this.#decoder;
    if (decoder?.separator !== dialect.separator || !asBuffer(decoder.first).equals(first)) {
      const parser = new CsvParser(dialect);
      parser.load(asBuffer(first).toString());
      while (!parser.done && parser.next() && parser.comment);
      if (parser.comment) return undefined;
      const names = this.#namesOf(parser.cells());
      const { problems } = readHeader(names, this.#settings, path);
      const { docIdPrefix } = this.#context;
      const reference = CsvDecoder.reference({ header: names, settings: this.#settings, dialect, docIdPrefix });
      const alone = parser.count === 1 && names.length > 0 && this.#settings.columns.length !== 1;
      const other = alone ? otherSeparator(parser.cell(0), dialect.separator) : undefined;
      if (other !== undefined) {
        const hint = `there is a single column ${JSON.stringify(parser.cell(0).slice(0, 100))}: ${separatorHint(other)}`;
        this.#doubt(path, line, hint);
      }
      // A copy, because the bytes are a part of a larger buffer of the file.
      decoder = { separator: dialect.separator, first: Uint8Array.from(first), reference, problems };
      this.#decoder = other === undefined ? decoder : undefined;
    }
    for (const { code, field, message } of decoder.problems) {
      this.#context.notices.report(code, { file: path, line, field });
      this.#say(path, message);
    }
    return decoder.reference;
  }

  /** Returns the names of the columns of a file with this first record. */
  #namesOf(first: readonly string[]): readonly string[] {
    const { columns } = this.#settings;
    if (columns.length > 0) return columns;
    return hasHeader(this.#settings) ? first : first.map((_, i) => `column_${i + 1}`);
  }

  #doubt(path: string, line: number, hint: string): void {
    this.#context.notices.report('csv.separator', { file: path, line, hint });
    this.#say(path, hint);
  }

  #say(path: string, warning: string): void {
    if (this.#said.has(warning)) return;
    this.#said.add(warning);
    this.#context.log.warn(`${path}: ${warning} (logged once)`);
  }

  #warnOfStrays(path: string, { strays, strayCount }: CsvScanner, known: number): number {
    const { log, notices } = this.#context;
    const listed = strays.slice(known);
    for (const { line, column } of listed) {
      log.warn(`${path}:${line}:${column}: ${STRAY}`);
      notices.report('csv.textAfterQuote', { file: path, line, column });
    }
    notices.report('csv.textAfterQuote', { count: strayCount - known - listed.length });
    if (strayCount > strays.length && known <= strays.length) {
      log.warn(`${path}: more cells have text after the closing quote; they are only counted`);
    }
    return strayCount;
  }

  /** Returns the error for a row that contains the rest of the file, because a quote is never closed. */
  #brokenOff(path: string, part: Exclude<SourcePart, { kind: 'records' }>, dialect: CsvDialect): HeadraceError {
    const { record, line } = part.place;
    let place = `${path}:${line}`;
    let what = 'a quote is opened but never closed';
    if (part.kind === 'unfinished') {
      const parser = new CsvParser(dialect);
      parser.load(asBuffer(part.bytes).toString());
      while (!parser.done && parser.next());
      const { lines, column } = parser.placeOf(parser.openQuote, 0);
      place = `${path}:${line + lines}:${column}`;
    } else what = `the row is longer than ${part.limit} bytes: a quote may be missing`;
    const code = record === 0 ? 'HR_SOURCE_UNREADABLE' : 'HR_SOURCE_INCOMPLETE';
    const where = record === 0 ? 'It is in the first record. ' : '';
    return new HeadraceError(code, `${place}: ${what}: the rest of the file was not read`, {
      hint: `${where}Close it, or set interpretQuotes: false if quotes are ordinary characters.`,
    });
  }
}
