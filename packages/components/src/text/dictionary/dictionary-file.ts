import { HeadraceError, type Logger, messageOf, type ParameterProblem } from '@headrace/engine';
import { javaTrim } from '@headrace/java-text/text';
import { CsvParser } from '@headrace/records/csv';
import { type FileUri, parseFileUri } from '../../storage/file-uri.ts';
import type { StorageSettings } from '../../storage/storage-parameters.ts';
import { type Storages, unreadableScheme } from '../../storage/storages.ts';

/** What bytes that are no UTF-8 become. */
const REPLACEMENT = '\ufffd';
const MAX_WARNINGS = 10;

/** The mistake of a path that no dictionary can be read from. Whether there is a file shows when the run starts. */
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
 * Reads a dictionary: CSV without a header, cells without the white space around them. Rows with bytes that are not
 * UTF-8 are left out, with a warning.
 *
 * @param path as in the config: a local path, `file:`, `classpath:` or the URI of a storage
 * @param onRow gets the cells of each row, blank lines as one empty cell; the list is used again for the next row
 * @throws HeadraceError `HR_SOURCE_UNREADABLE` when the file cannot be read, or has a quote that is never closed
 */
export async function readDictionary(
  path: string,
  storages: Storages,
  log: Logger,
  onRow: (cells: readonly string[]) => void,
): Promise<void> {
  const parser = new CsvParser({ separator: ',', quotes: true, escapes: true });
  const rows = new RowReader(parser, path, log, onRow);
  try {
    const uri = dictionaryUri(path);
    const storage = await storages.of(uri);
    // A byte-order mark goes by itself.
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
  // For lack of a class path, what is in it is in the working directory.
  return parseFileUri(path.replace(/^classpath:\/*/, './'));
}

/** Makes rows of pieces of text. */
class RowReader {
  readonly #parser: CsvParser;
  readonly #path: string;
  readonly #log: Logger;
  readonly #onRow: (cells: readonly string[]) => void;
  readonly #cells: string[] = [];
  #pending = '';
  /** With less text than this it is not worth while to look for the end of a row. */
  #enough = 0;
  #line = 1;
  #malformed = 0;

  constructor(parser: CsvParser, path: string, log: Logger, onRow: (cells: readonly string[]) => void) {
    this.#parser = parser;
    this.#path = path;
    this.#log = log;
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
      this.#log.warn(`${this.#path}: ${this.#malformed} rows in all are not UTF-8 and were left out`);
    }
  }

  /** Reads the rows of a text; what is not complete stays pending, before the rest. */
  #read(text: string, rest: string): void {
    const parser = this.#parser;
    parser.load(text);
    this.#enough = 0;
    while (!parser.done) {
      if (!parser.next()) {
        this.#pending = parser.rest() + rest;
        // A quoted cell continues: with twice the text, long ones are not read repeatedly.
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
      const cell = javaTrim(this.#parser.cells[i] as string);
      cells[i] = cell;
      if (!cell.includes(REPLACEMENT)) continue;
      this.#malformed++;
      if (this.#malformed <= MAX_WARNINGS) {
        this.#log.warn(`${this.#path}:${this.#line}: the row is not UTF-8 and is left out`);
      }
      return;
    }
    this.#onRow(cells);
  }
}
