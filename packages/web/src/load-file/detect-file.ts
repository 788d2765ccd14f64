import { extensionOf, type FileSettings } from './load-config.ts';

type Doc = Readonly<Record<string, unknown>>;

/** What the preview of a connector returns: its documents, and the records that could not be read. */
export interface FirstDocuments {
  readonly documents: readonly Doc[];
  /** The reasons why records could not be read. */
  readonly failures: readonly string[];
}

/** Reads the first documents of a connector. Rejects if the file cannot be read. */
export type ReadFirst = (connector: Readonly<Record<string, unknown>>) => Promise<FirstDocuments>;

/** What is known about a file from its first documents. */
export interface DetectedFile {
  readonly settings: FileSettings;
  readonly fields: readonly { readonly name: string; readonly values: readonly unknown[] }[];
  readonly failures: readonly string[];
  /** The names that several columns of a CSV file have. Only the last of these columns is read. */
  readonly repeatedColumns: readonly string[];
  /** The columns that make no field, because Headrace uses their names. */
  readonly reservedColumns: readonly string[];
}

/** Characters that a text in any encoding does not have. A file may end with Ctrl-Z, and a cell have a form feed. */
const BINARY = /[\0-\x08\x0e-\x19\x1c-\x1f]/;
const NO_TEXT =
  'The file is no text: it has bytes that no CSV file has. Is it an image, an archive or a spreadsheet? Save a spreadsheet as CSV first.';
const SEPARATORS = [',', ';', '\t', '|'];
/** The fields that a CSV file gets from the connector, under names that no column has. */
const ADDED = { filePathField: '\u0001path', filenameField: '\u0001name', lineNumberField: '\u0001line' };
/** Names of fields that only the engine sets. A column with the name `id` can be the id. */
const RESERVED = new Set(['run_id', '___children', '___dropped', '___skipped']);

/**
 * Finds out how a file is read, by reading its first documents in several ways.
 * @param idField the field with the id of JSON objects; found by its name if empty
 */
export async function detectFile(path: string, idField: string, read: ReadFirst): Promise<DetectedFile> {
  const extension = extensionOf(path).toLowerCase();
  if (['json', 'jsonl', 'ndjson'].includes(extension)) return detectJson(path, idField, read);
  if (['csv', 'tsv', 'psv'].includes(extension)) return detectCsv(path, read);
  const [first = ''] = await firstLines(path, 'utf-8', read);
  return /^\s*[[{]/.test(first) ? detectJson(path, idField, read) : detectCsv(path, read);
}

async function detectCsv(path: string, read: ReadFirst): Promise<DetectedFile> {
  let encoding: FileSettings['encoding'] = 'utf-8';
  let best = await readBest(path, encoding, read).catch((refusal) => {
    // A file in UTF-16 is refused as UTF-8.
    encoding = 'auto';
    return readBest(path, encoding, read).catch(() => Promise.reject(refusal));
  });
  const isGarbled = best.first.documents.some((doc) => JSON.stringify(doc).includes('\uFFFD'));
  if (isGarbled && encoding === 'utf-8') {
    encoding = 'auto';
    best = await readBest(path, encoding, read);
  }
  const { separator, first, hasId, lines } = best;
  const names = columnsOf(first, hasId);
  const cells = headerCells(lines[0] ?? '', separator);
  return {
    settings: { path, format: 'csv', separator, encoding, escapes: hasEscapes(lines), idField: hasId ? 'id' : '' },
    fields: valuesOf(names, first.documents),
    failures: first.failures,
    repeatedColumns: [...new Set(cells.filter((name, i) => cells.indexOf(name) < i))],
    reservedColumns: cells.filter((name) => RESERVED.has(name)),
  };
}

/** Reads a CSV file with each separator. Returns the first documents with the most columns. */
async function readBest(path: string, encoding: FileSettings['encoding'], read: ReadFirst) {
  let best: { separator: string; first: FirstDocuments; hasId: boolean; columns: number } | undefined;
  let refusal: unknown;
  const lines = await firstLines(path, encoding, read);
  if (lines.some((line) => BINARY.test(line))) throw new Error(NO_TEXT);
  const other = { ...ADDED, ...(encoding === 'utf-8' ? {} : { encoding }), ignoreEscapeChar: !hasEscapes(lines) };
  for (const separator of SEPARATORS) {
    const connector = { class: 'CSVConnector', path, separatorChar: separator, ...other };
    try {
      // Without idField, the connector skips a column with the reserved name id. With it, a file without the column
      // is refused.
      const withId = await read({ ...connector, idField: 'id' }).catch(() => undefined);
      const hasId = withId !== undefined && withId.documents.length > 0;
      const first = hasId ? withId : await read(connector);
      const columns = columnsOf(first, hasId).length;
      if (columns > (best?.columns ?? -1)) best = { separator, first, hasId, columns };
    } catch (error) {
      refusal ??= error;
    }
  }
  // A file that is read as one column has perhaps another separator, with which it was refused.
  if (best === undefined || (best.columns <= 1 && refusal !== undefined)) throw refusal;
  return { ...best, lines };
}

/** Returns the columns of a CSV file. The id that the connector makes is no column. */
function columnsOf({ documents }: FirstDocuments, hasId: boolean): string[] {
  return namesOf(documents).filter((name) => hasId || name !== 'id');
}

/**
 * Returns whether a backslash escapes quotes inside of cells. In most files it is an ordinary character, which may be the
 * last one of a cell in quotes, such as a path.
 */
function hasEscapes(lines: readonly string[]): boolean {
  return lines.some((line) => /\\"(?!\s*(?:[,;\t|]|$))/.test(line));
}

/** Returns the names in the header of a CSV file. */
function headerCells(header: string, separator: string): string[] {
  // Separators between quotes are part of a name.
  const plain = header.replaceAll(/"(?:[^"]|"")*"/g, (name) => name.slice(1, -1).replaceAll(separator, ''));
  return plain.split(separator);
}

async function detectJson(path: string, idField: string, read: ReadFirst): Promise<DetectedFile> {
  const settings = { path, format: 'json', separator: '', encoding: 'utf-8', escapes: false } as const;
  const found = ({ documents, failures }: FirstDocuments, id: string): DetectedFile => ({
    settings: { ...settings, idField: id },
    fields: valuesOf(namesOf(documents), documents),
    failures,
    repeatedColumns: [],
    reservedColumns: [],
  });
  const plain = await read({ class: 'JSONConnector', jsonPath: path });
  if (idField === '' || idField === 'id') {
    if (plain.documents.length > 0) return found(plain, 'id');
  }
  // Objects without a field id can be read once another field is known to be the id.
  const candidates = idField === '' ? await namesOfFirstObject(path, read) : [idField];
  const extension = extensionOf(path);
  let repeated: DetectedFile | undefined;
  for (const id of candidates) {
    const handler = { ...(/^jsonl?$/.test(extension) ? {} : { class: 'JSONFileHandler' }), idField: id };
    const first = await read({ class: 'FileConnector', paths: [path], fileHandlers: { [extension]: handler } });
    const { fields, ...rest } = found(first, id);
    if (first.documents.length === 0) continue;
    // The connector adds the id. A field of the file with this name would have been read by now.
    const file = { ...rest, fields: fields.filter(({ name }) => name !== 'id') };
    if (!hasRepeatedValue(file, id)) return file;
    repeated ??= file;
  }
  return repeated ?? found({ ...plain, documents: [] }, idField);
}

/** Returns whether two of the first documents have the same value in a field: it is no id. */
export function hasRepeatedValue({ fields }: DetectedFile, name: string): boolean {
  const values = fields.find((field) => field.name === name)?.values ?? [];
  return new Set(values.map(String)).size < values.length;
}

/** Returns the names of the first object with a text or number as value. Names that sound like an id come first. */
async function namesOfFirstObject(path: string, read: ReadFirst): Promise<string[]> {
  const lines = await firstLines(path, 'utf-8', read);
  const object = firstObject(lines.join('\n'));
  const names = Object.entries(object)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name]) => name);
  const sounds = (name: string) => Number(/id$|key$|^sku$|^isbn$|code$|number$|^name$/i.test(name));
  return names.sort((a, b) => sounds(b) - sounds(a)).slice(0, 3);
}

/** Returns the first lines of a file. Read as CSV without separators and quotes, each line is one cell. */
async function firstLines(path: string, encoding: FileSettings['encoding'], read: ReadFirst): Promise<string[]> {
  const { documents } = await read({
    class: 'CSVConnector',
    path,
    encoding,
    separatorChar: '\u0001',
    interpretQuotes: false,
    ignoreEscapeChar: true,
    ...ADDED,
  });
  const [header] = namesOf(documents).filter((name) => name !== 'id');
  if (header === undefined) return [];
  return [header, ...documents.map((doc) => String(doc[header] ?? ''))];
}

/** Returns the first JSON object of a text that may be cut off. Returns an empty object if there is none. */
export function firstObject(text: string): Readonly<Record<string, unknown>> {
  const start = text.indexOf('{');
  let depth = 0;
  let quoted = false;
  for (let i = start; i >= 0 && i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) {
      try {
        return JSON.parse(text.slice(start, i + 1)) as Readonly<Record<string, unknown>>;
      } catch {
        return {};
      }
    }
  }
  return {};
}

function namesOf(documents: readonly Doc[]): string[] {
  const added = new Set(Object.values(ADDED));
  return [...new Set(documents.flatMap((doc) => Object.keys(doc)))].filter((name) => !added.has(name));
}

function valuesOf(names: readonly string[], documents: readonly Doc[]) {
  return names.map((name) => ({
    name,
    values: documents.map((doc) => doc[name]).filter((value) => value !== undefined && value !== null),
  }));
}
