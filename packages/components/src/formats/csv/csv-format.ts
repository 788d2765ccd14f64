import { HeadraceError, type ModuleReference, type Publisher } from '@headrace/engine';
import { type SourceFile, utf8Bytes } from '../byte-source.ts';
import type { FormatContext } from '../format-context.ts';
import { type RecordPlace, splitRecords } from '../record-splitter.ts';
import { Utf8Check } from '../utf8-check.ts';
import { CsvDecoder } from './csv-decoder.ts';
import { readHeader } from './csv-header.ts';
import { CsvParser } from './csv-parser.ts';
import { CsvScanner } from './csv-scanner.ts';
import { type CsvSettings, dialectOf } from './csv-settings.ts';

const BACKSLASH = 92;
const ESCAPES = 'backslashes are taken as escapes and disappear; set ignoreEscapeChar: true to keep them';

/** Publishes CSV files: the run's thread cuts them into pieces, the pipeline threads decode those. */
export class CsvFormat {
  private readonly settings: CsvSettings;
  private readonly context: FormatContext;
  /** The decoder of the last file: files of one source mostly have the same header. */
  private decoder: { readonly header: string; readonly reference: ModuleReference } | undefined;
  /** What holds for most files of a source is said of the first one. */
  private readonly said = new Set<string>();

  get pathField(): string {
    return this.settings.filePathField ?? 'source';
  }

  constructor(settings: CsvSettings, context: FormatContext) {
    this.settings = settings;
    this.context = context;
  }

  /**
   * Publishes the rows of a file; ends early when the publisher's signal is aborted. Throws `HR_SOURCE_UNREADABLE`
   * when the file cannot be read, when its header cannot be used, and when a quote in its header or first row is
   * never closed.
   */
  async publish(file: SourceFile, publisher: Publisher): Promise<void> {
    const { path, name } = file;
    const { log } = this.context;
    const scanner = new CsvScanner(dialectOf(this.settings));
    let decoder: ModuleReference | undefined;
    const check = new Utf8Check(path, log);
    const looksForEscapes = this.settings.ignoreEscapeChar !== true;
    for await (const part of splitRecords(utf8Bytes(file), scanner, { firstAlone: true })) {
      if (publisher.signal.aborted) return;
      const { record, line } = part.place;
      if (part.kind === 'records') check.look(part.bytes, [{ start: 0, end: part.bytes.length, line }]);
      if (part.kind === 'unfinished') {
        const message = 'a quote is opened but never closed';
        if (record <= 1) throw brokenStart(path, part.place, message);
        await publisher.reject({ place: `${path}:${line}`, message: `${message}: the rest of the file is this row` });
      } else if (part.kind === 'too-long') {
        const message = `the row is longer than ${part.limit} bytes: a quote may never be closed`;
        if (record === 0) throw brokenStart(path, part.place, message);
        await publisher.reject({ place: `${path}:${line}`, message });
      } else if (decoder === undefined) decoder = this.decoderFor(part.bytes, path);
      else {
        if (looksForEscapes && !this.said.has(ESCAPES) && includesByte(part.bytes, BACKSLASH)) this.say(path, ESCAPES);
        await publisher.publishChunk({ bytes: part.bytes, decoder, position: { path, name, record, line } });
      }
    }
    if (decoder === undefined && !publisher.signal.aborted) log.warn(`${path} is empty: it has no header and no rows`);
  }

  private decoderFor(firstRecord: Uint8Array, path: string): ModuleReference {
    const parser = new CsvParser(dialectOf(this.settings));
    parser.load(Buffer.from(firstRecord).toString());
    parser.next();
    const header = parser.cells.slice(0, parser.count);
    for (const warning of readHeader(header, this.settings, path).warnings) this.say(path, warning);
    const key = JSON.stringify(header);
    if (this.decoder?.header !== key) {
      const options = { header, settings: this.settings, docIdPrefix: this.context.docIdPrefix };
      this.decoder = { header: key, reference: CsvDecoder.reference(options) };
    }
    return this.decoder.reference;
  }

  private say(path: string, warning: string): void {
    if (this.said.has(warning)) return;
    this.said.add(warning);
    this.context.log.warn(`${path}: ${warning} (said once)`);
  }
}

/** As `bytes.includes(byte)`, but by the native search of a buffer, which is many times as fast. */
function includesByte({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>, byte: number): boolean {
  return Buffer.from(buffer, byteOffset, length).includes(byte);
}

function brokenStart(path: string, { record, line }: RecordPlace, message: string): HeadraceError {
  return new HeadraceError('HR_SOURCE_UNREADABLE', `${path}:${line}: ${message}`, {
    hint: `It is in the ${record === 0 ? 'header' : 'first row'}. If quotes are ordinary characters, set interpretQuotes: false.`,
  });
}
