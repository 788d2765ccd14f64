import {
  HeadraceError,
  type Logger,
  messageOf,
  type Notices,
  type ParameterProblem,
  type StageContext,
} from '@headrace/engine';
import { CsvParser } from '@headrace/formats/records/csv';
import { javaTrim } from '@headrace/languages/java/text';
import { type FileUri, parseFileUri } from '../../storage/file-uri.ts';
import type { StorageSettings } from '../../storage/storage-parameters.ts';
import { type Storages, unreadableScheme } from '../../storage/storages.ts';

/** The character that replaces invalid bytes. */
const REPLACEMENT = '\ufffd';
const MAX_WARNINGS = 10;

/** Reports a path that cannot be a dictionary. A missing file is reported only when the run starts. */
export function* checkDictionary(
  parameter: string,
  path: string,
  settings: StorageSettings,
): Generator<ParameterProblem> {
  let uri: FileUri;
  try {
    uri = dictionaryUri(path);
  } catch (error) {
    yield { parameter, message: messageOf(error) };
    return;
  }
  const problem = path === '' ? { message: 'it is empty' } : unreadableScheme(uri.scheme, settings);
  if (problem !== undefined) {
    yield { ...problem, parameter, message: `The dictionary "${path}" cannot be read: ${problem.message}` };
  }
}

/**
 * Reads a dictionary: CSV without a header. White space around cells is removed. Rows with bytes that are not UTF-8 are
 * skipped with a warning.
 *
 * @param path the path in the config: a local path, `file:`, `classpath:` or the URI of a storage
 * @param onRow receives the cells of each row; a blank line has one empty cell; the list is reused for the next row
 * @throws HeadraceError `HR_SOURCE_UNREADABLE` if the file cannot be read or has a quote that is never closed
 */
export async function readDictionary(
  path: string,
  storages: Storages,
  { log, notices }: Pick<StageContext, 'log' | 'notices'>,
  onRow: (cells: readonly string[]) => void,
): Promise<void> {
  const parser = new CsvParser({ separator: ',', quote: '"', escapes: true, comment: '' });
  const rows = new RowReader(parser, path, log, notices, onRow);
  try {
    const uri = dictionaryUri(path);
    const storage = await storages.of(uri);
    // The decoder removes a byte-order mark.
    const decoder = new TextDecoder();
    for await (const bytes of storage.read(uri)) rows.take(decoder.decode(bytes, { stream: true }));
    rows.take(decoder.decode());
  } catch (error) {
    if (error instanceof HeadraceError) throw error;
    throw new HeadraceError('HR_SOURCE_UNREADABLE', `Cannot read the dictionary ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  rows.finish();
}

function dictionaryUri(path: string): FileUri {
  // There is no class path here, so its files are read from the working directory.
  return parseFileUri(path.replace(/^classpath:\/*/, './'));
}

/** Splits pieces of text into rows. */
class RowReader {
  readonly #parser: CsvParser;
  readonly #path: string;
  readonly #log: Logger;
  readonly #notices: Notices;
  readonly #onRow: (cells: readonly string[]) => void;
  readonly #cells: string[] = [];
  #pending = '';
  /** The length of pending text below which no row is searched, to save time. */
  #enough = 0;
  #line = 1;
  #malformed = 0;

  constructor(
    parser: CsvParser,
    path: string,
    log: Logger,
    notices: Notices,
    onRow: (cells: readonly string[]) => void,
  ) {
    this.#parser = parser;
    this.#path = path;
    this.#log = log;
    this.#notices = notices;
    this.#onRow = onRow;
  }

  take(text: string): void {
    this.#pending += text;
    if (this.#pending.length < this.#enough) return;
    const end = this.#pending.lastIndexOf('\n') + 1;
    if (end === 0) this.#enough = this.#pending.length * 2;
    else this.#read(this.#pending.slice(0, end), this.#pending.slice(end));
  }

  finish(): void {
    this.#read(this.#pending, '');
    if (this.#pending !== '') {
      throw new HeadraceError(
        'HR_SOURCE_UNREADABLE',
        `Cannot read the dictionary ${this.#path}: the quote in line ${this.#line} is opened but never closed`,
        { hint: 'Close it, or write \\" for a quote that is part of the text.' },
      );
    }
    if (this.#malformed > MAX_WARNINGS) {
      this.#log.warn(`${this.#path}: ${this.#malformed} rows in total are not UTF-8 and were skipped`);
    }
  }

  /** Reads the rows of a text. An incomplete row is stored with `rest` until more text arrives. */
  #read(text: string, rest: string): void {
    const parser = this.#parser;
    parser.load(text);
    this.#enough = 0;
    while (!parser.done) {
      if (!parser.next()) {
        this.#pending = parser.rest() + rest;
        // A quoted cell continues. Waiting for twice the text avoids reading a long cell repeatedly.
        this.#enough = this.#pending.length * 2;
        return;
      }
      this.#row();
      this.#line += parser.lines;
    }
    this.#pending = rest;
  }

  #row(): void {
    const cells = this.#cells;
    cells.length = this.#parser.count;
    for (let i = 0; i < cells.length; i++) {
      const cell = javaTrim(this.#parser.cell(i));
      cells[i] = cell;
      if (!cell.includes(REPLACEMENT)) continue;
      this.#malformed++;
      this.#notices.report('dictionary.invalidRow', { file: this.#path, line: this.#line });
      if (this.#malformed <= MAX_WARNINGS) {
        this.#log.warn(`${this.#path}:${this.#line}: the row is not UTF-8 and is skipped`);
      }
      return;
    }
    this.#onRow(cells);
  }
}
