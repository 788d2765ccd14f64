import type { CellObject, ParsingOptions, WorkBook, WorkSheet } from '@e965/xlsx';
import type { Extraction } from '../blocks/blocks.ts';
import { dateWriter } from './excel-dates.ts';
import { EncryptedFile, type FileInput, type FormatReader } from './format.ts';
import { hiddenText, isShown } from './hidden.ts';
import { readOfficeParts } from './office-parts.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { OleFile } from './ole.ts';
import { describeOle } from './ole-properties.ts';
import { Pictures } from './pictures.ts';
import { addXlsPictures } from './xls-pictures.ts';
import { readZip } from './zip.ts';

/** The parts of SheetJS that read a workbook in a zip file. Its types omit them. */
interface ZipLibrary {
  parse_zip(container: ZipContainer, options: ParsingOptions): WorkBook;
}

/** The entries of a zip file, as SheetJS expects them. */
interface ZipContainer {
  readonly FullPaths: readonly string[];
  readonly FileIndex: readonly { readonly name: string; readonly content: Uint8Array; readonly type: number }[];
}

/** What SheetJS knows about an old file, in addition. */
interface OldWorkbook extends WorkBook {
  readonly Metadata?: { readonly Country?: readonly [ofExcel: unknown, ofWindows: unknown] };
}

const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i;
/** The `type` of an entry that is a file. */
const IS_FILE = 2;
/** The entries that have text, or say where it is. */
const WORKBOOK_PART = /^(?!xl\/(media|embeddings)\/).*\.(xml|rels|bin|vml)$/i;

/** Reads Excel files, old and new: each sheet with its name and its cells as they are shown. */
export const readSpreadsheet: FormatReader = async (input, to) => {
  const { bytes, budget, readInner } = input;
  const library = (await import('@e965/xlsx')) as unknown as typeof import('@e965/xlsx') & ZipLibrary;
  const { read, utils } = library;
  const isZip = bytes[0] === 0x50;
  const isOle = bytes[0] === 0xd0;
  const entries = isZip ? await readZip(bytes, budget) : [];
  const parts: { name: string; content: Buffer }[] = [];
  // The library would expand all entries together, without a check of their sizes and checksums.
  for (const entry of entries) {
    if (WORKBOOK_PART.test(entry.name)) parts.push({ name: entry.name, content: await entry.read() });
  }
  const headers = parts.flatMap(({ content }) => headersOf(content));
  await readOfficeProperties(entries, to);
  await readOfficeImages(entries, to);
  const options = {
    type: 'array',
    dense: true,
    cellNF: true,
    cellHTML: false,
    cellFormula: false,
    // Whether rows and columns are hidden is a part of their style.
    cellStyles: input.options.hidden !== 'include',
  } as const;
  const book = openBook(() => (isZip ? readWithoutLinks(parts, library, options) : read(bytes, options)));
  const old = isOle ? await OleFile.open(bytes) : undefined;
  if (old !== undefined) describeOle(old, to);
  const workbook = to.wantsImages ? old?.stream('Workbook') : undefined;
  if (workbook !== undefined) addXlsPictures(workbook, new Pictures(to, budget));
  const dateOf = await dateWriter({
    style: input.options.dates,
    from1904: book.Workbook?.WBProps?.date1904 === true,
    language: languageOf(to, book),
  });
  const shown = (cell: CellObject) => dateOf(cell) ?? shownText(cell, utils.format_cell);
  for (const [i, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name];
    if (sheet === undefined) continue;
    const isHidden = (book.Workbook?.Sheets?.[i]?.Hidden ?? 0) > 0;
    if (!isShown(isHidden, input)) continue;
    to.add({ kind: 'page', number: i + 1, name: hiddenText(isHidden, name, input) });
    addSheet(sheet, shown, input, to);
  }
  for (const header of headers) to.add({ kind: 'paragraph', text: header });
  await readOfficeParts(entries, input, to);
  for (const { name, bytes: inner } of old?.embedded() ?? []) await readInner(inner, name, to);
};

/**
 * Reads a workbook without the links of its cells, which are not text. The library makes a cell for each place of a link,
 * and the link of a whole sheet has 17 billion places.
 */
function readWithoutLinks(
  parts: readonly { readonly name: string; readonly content: Buffer }[],
  { parse_zip }: ZipLibrary,
  options: ParsingOptions,
): WorkBook {
  const files = parts.map(({ name, content }) => ({
    name,
    content: /worksheets\/[^/]*\.xml$/i.test(name) ? withoutLinks(content) : content,
    type: IS_FILE,
  }));
  return parse_zip({ FullPaths: files.map(({ name }) => name), FileIndex: files }, options);
}

function withoutLinks(sheet: Buffer): Buffer {
  const cellsEnd = Math.max(0, sheet.lastIndexOf('sheetData'));
  if (sheet.indexOf('hyperlink ', cellsEnd) < 0) return sheet;
  const rest = sheet.toString('latin1', cellsEnd).replaceAll(/<(\w+:)?hyperlink [^<>]*>/g, '');
  return Buffer.concat([sheet.subarray(0, cellsEnd), Buffer.from(rest, 'latin1')]);
}

/** Adds the cells as they are shown, and their comments. Columns without any text are omitted. */
function addSheet(sheet: WorkSheet, shown: (cell: CellObject) => string, input: FileInput, to: Extraction): void {
  const columns = new Set<number>();
  const rows: Map<number, string>[] = [];
  const comments: string[] = [];
  // The lists have holes, and the number of a row may be a billion. These methods do not visit the holes, unlike forEach.
  for (const [rowPlace, cells] of Object.entries(sheet['!data'] ?? [])) {
    const row = new Map<number, string>();
    const isRowHidden = sheet['!rows']?.[Number(rowPlace)]?.hidden === true;
    if (!isShown(isRowHidden, input)) continue;
    for (const [place, cell] of Object.entries(cells)) {
      const isHidden = isRowHidden || sheet['!cols']?.[Number(place)]?.hidden === true;
      if (!isShown(isHidden, input)) continue;
      const text = hiddenText(isHidden, shown(cell), input);
      if (text !== '') {
        row.set(Number(place), text);
        columns.add(Number(place));
      }
      for (const { a: author, t: comment } of cell.c ?? []) {
        comments.push(author === undefined || comment?.startsWith(author) ? (comment ?? '') : `${author}: ${comment}`);
      }
    }
    if (row.size > 0) rows.push(row);
  }
  const order = [...columns].sort((a, b) => a - b);
  to.add({ kind: 'table', rows: rows.map((row) => order.map((column) => row.get(column) ?? '')) });
  for (const text of comments) to.add({ kind: 'paragraph', text });
}

/** Returns the language of a workbook: of its properties, or of the country of an old file. */
function languageOf(to: Extraction, book: WorkBook): string | undefined {
  const [named] = to.metadata.get('dc:language') ?? [];
  if (named !== undefined && LANGUAGE.test(named)) return named;
  const [, country] = (book as OldWorkbook).Metadata?.Country ?? [];
  // Libraries write the United States for every file.
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country) || country === 'US') return undefined;
  return `${new Intl.Locale(`und-${country}`).maximize().language}-${country}`;
}

/** Excel shows long numbers in a general format with few digits. All digits are kept. */
function shownText(cell: CellObject, format: (cell: CellObject) => string): string {
  const text = format(cell);
  return typeof cell.v === 'number' && /^-?\d(\.\d+)?E\+\d+$/.test(text) ? String(cell.v) : text;
}

/** Returns the headers and footers of a sheet. They are at its end, with codes for fonts and places: `&CTitle`. */
function headersOf(xml: Buffer): string[] {
  const start = xml.lastIndexOf('<headerFooter');
  if (start < 0) return [];
  const [, inner = ''] = /^<headerFooter[^>]*>(.*?)<\/headerFooter>/s.exec(xml.toString('utf8', start)) ?? [];
  const texts = inner.split(/<[^>]*>/).map((text) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .replace(/&("[^"]*"|K[0-9A-F]{6}|\d+|[A-Z])/gi, ' ')
      .trim(),
  );
  return texts.filter((text) => text !== '');
}

function openBook<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (/password|encrypt/i.test((error as Error).message)) throw new EncryptedFile([]);
    throw error;
  }
}
