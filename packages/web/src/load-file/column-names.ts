/** How much of a file is read to find its first record. */
const HEAD_BYTES = 64 * 1024;
const BOM = '\u00ef\u00bb\u00bf';
const SEPARATORS = [',', ';', '\t', '|'];

/** A CSV file with names that it did not have. */
export interface NamedColumns {
  readonly content: Blob;
  /** The names that were made. */
  readonly names: readonly string[];
}

/** The first record of a CSV file, in characters of one byte each. */
interface Header {
  /** Where it begins: after the byte-order mark. */
  readonly start: number;
  readonly separator: string;
  readonly cells: readonly { readonly text: string; readonly from: number; readonly to: number }[];
}

/**
 * Names the columns of a CSV file whose name is empty, such as the row numbers that pandas writes. The connector omits
 * the values of such a column. Returns undefined if there is none.
 */
export async function nameEmptyColumns(file: Blob): Promise<NamedColumns | undefined> {
  const header = await headerOf(file);
  if (header === undefined || header.cells.every(({ text }) => text === '')) return undefined;
  const taken = new Set(header.cells.map(({ text }) => text));
  const names: string[] = [];
  const parts: BlobPart[] = [];
  let copied = 0;
  for (const [i, { text, from, to }] of header.cells.entries()) {
    if (text !== '') continue;
    let name = `column_${i + 1}`;
    while (taken.has(name)) name += '_';
    names.push(name);
    parts.push(file.slice(copied, from), name);
    copied = to;
  }
  return names.length === 0 ? undefined : { content: new Blob([...parts, file.slice(copied)]), names };
}

/** Adds a first row with names to a CSV file whose first row has values. Returns undefined if it is no such file. */
export async function addHeader(file: Blob): Promise<NamedColumns | undefined> {
  const header = await headerOf(file);
  if (header === undefined) return undefined;
  const names = header.cells.map((_, i) => `column_${i + 1}`);
  const line = `${names.join(header.separator)}\n`;
  return { content: new Blob([file.slice(0, header.start), line, file.slice(header.start)]), names };
}

async function headerOf(file: Blob): Promise<Header | undefined> {
  // In this encoding, each character is a byte: positions in the text are positions in the file.
  const text = new TextDecoder('latin1').decode(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const start = text.startsWith(BOM) ? BOM.length : 0;
  const record = /^(?:"(?:[^"]|"")*"|[^"\r\n])*(?=[\r\n]|$)/.exec(text.slice(start))?.[0] ?? '';
  // UTF-16 has zeros, and JSON no columns.
  if (record === '' || record.includes('\0') || /^\s*[[{]/.test(record)) return undefined;
  // A record that does not end in this part of the file is not known completely.
  if (start + record.length === text.length && file.size > text.length) return undefined;
  const cut = SEPARATORS.map((separator) => ({ separator, cells: cellsOf(record, separator) }));
  const best = cut.reduce((most, one) => (one.cells.length > most.cells.length ? one : most));
  const cells = best.cells.map(({ text: cell, from }) => ({
    text: cell.trim().replace(/^"\s*"$/, ''),
    from: start + from,
    to: start + from + cell.length,
  }));
  return { start, separator: best.separator, cells };
}

function cellsOf(record: string, separator: string): { readonly text: string; readonly from: number }[] {
  const cells: { text: string; from: number }[] = [];
  let from = 0;
  let quoted = false;
  for (let i = 0; i <= record.length; i++) {
    if (record[i] === '"') quoted = !quoted;
    if (i < record.length && (quoted || record[i] !== separator)) continue;
    cells.push({ text: record.slice(from, i), from });
    from = i + 1;
  }
  return cells;
}
