import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { CsvParser, CsvScanner } from '@headrace/records/csv';
import { type SourcePart, splitRecords } from '@headrace/records/split';
import { asBuffer } from '../as-buffer.ts';
import type { SourceFile } from '../byte-source.ts';
import { openText } from '../encoding/open-text.ts';
import type { FormatContext } from '../format-context.ts';
import { CsvDecoder } from './csv-decoder.ts';
import { type HeaderWarning, readHeader } from './csv-header.ts';
import { type CsvSettings, dialectOf } from './csv-settings.ts';

const BACKSLASH = 92;
const ESCAPES = 'backslashes are read as escapes and removed; set ignoreEscapeChar: true to keep them';
const STRAY =
  'text follows the closing quote of a cell. It is read as part of the cell; a quote may be missing before it, so that ' +
  'rows are joined, or one inside the cell is not doubled';

/** The decoder of files with a header. */
interface HeaderDecoder {
  readonly header: Uint8Array;
  readonly warnings: readonly HeaderWarning[];
  readonly reference: ModuleReference;
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
    const scanner = new CsvScanner(dialectOf(this.#settings));
    let decoder: ModuleReference | undefined;
    const { bytes, invalid } = openText(file, this.#settings, this.#context);
    let looksForEscapes = this.#settings.ignoreEscapeChar !== true;
    let strays = 0;
    for await (const part of splitRecords(bytes, scanner, { firstAlone: true })) {
      if (publisher.signal.aborted) return;
      const { record, line } = part.place;
      if (part.kind === 'records') invalid.look(part.bytes, [{ start: 0, end: part.bytes.length, line }]);
      if (scanner.strayCount > strays) strays = this.#warnOfStrays(path, scanner, strays);
      if (part.kind === 'unfinished' || (part.kind === 'too-long' && (part.cutOff || record === 0))) {
        throw this.#brokenOff(path, part);
      }
      if (part.kind === 'too-long') {
        const message = `the row is longer than ${part.limit} bytes: a quote may be missing, and rows may be inside it`;
        await publisher.reject({ place: `${path}:${line}`, message });
      } else if (decoder === undefined) decoder = this.#decoderFor(part.bytes, path);
      else {
        if (looksForEscapes && asBuffer(part.bytes).includes(BACKSLASH)) {
          looksForEscapes = false;
          this.#say(path, ESCAPES);
          notices.report('csv.backslash', { file: path });
        }
        await publisher.publishChunk({ bytes: part.bytes, decoder, position: { path, name, record, line } });
      }
    }
    if (decoder === undefined && !publisher.signal.aborted) {
      log.warn(`${path} is empty: it has no header and no rows`);
      notices.report('file.empty', { file: path });
    }
  }

  #decoderFor(header: Uint8Array, path: string): ModuleReference {
    if (this.#decoder === undefined || !asBuffer(this.#decoder.header).equals(header)) {
      this.#decoder = this.#makeDecoder(header, path);
    }
    const { warnings, reference } = this.#decoder;
    for (const { code, column, message } of warnings) {
      this.#say(path, message);
      this.#context.notices.report(code, { file: path, line: 1, field: column });
    }
    return reference;
  }

  #makeDecoder(header: Uint8Array, path: string): HeaderDecoder {
    const parser = new CsvParser(dialectOf(this.#settings));
    parser.load(asBuffer(header).toString());
    parser.next();
    const names = parser.cells();
    const { warnings } = readHeader(names, this.#settings, path);
    const options = { header: names, settings: this.#settings, docIdPrefix: this.#context.docIdPrefix };
    // A copy, because the bytes are a part of a larger buffer of the file.
    return { header: Uint8Array.from(header), warnings, reference: CsvDecoder.reference(options) };
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
  #brokenOff(path: string, part: Exclude<SourcePart, { kind: 'records' }>): HeadraceError {
    const { record, line } = part.place;
    let place = `${path}:${line}`;
    let what = 'a quote is opened but never closed';
    if (part.kind === 'unfinished') {
      const parser = new CsvParser(dialectOf(this.#settings));
      parser.load(asBuffer(part.bytes).toString());
      parser.next();
      const { lines, column } = parser.placeOf(parser.openQuote, 0);
      place = `${path}:${line + lines}:${column}`;
    } else what = `the row is longer than ${part.limit} bytes: a quote may be missing`;
    const code = record === 0 ? 'HR_SOURCE_UNREADABLE' : 'HR_SOURCE_INCOMPLETE';
    const where = record === 0 ? 'It is in the header. ' : '';
    return new HeadraceError(code, `${place}: ${what}: the rest of the file was not read`, {
      hint: `${where}Close it, or set interpretQuotes: false if quotes are ordinary characters.`,
    });
  }
}
