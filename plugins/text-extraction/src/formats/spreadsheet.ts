import { EncryptedFile, type FormatReader } from './format.ts';
import { readOfficeImages, readOfficeProperties } from './office-properties.ts';
import { readZip } from './zip.ts';

/** Reads Excel files, old and new: each sheet with its name and its cells as they are shown. */
export const readSpreadsheet: FormatReader = async ({ bytes, budget }, to) => {
  const { read, utils } = await import('@e965/xlsx');
  const isZip = bytes[0] === 0x50;
  if (isZip) {
    const entries = await readZip(bytes, budget);
    // The library expands all parts together, so their sizes are checked first.
    for (const entry of entries) if (/^xl\/.*\.xml$/.test(entry.name)) await entry.read();
    await readOfficeProperties(entries, to);
    await readOfficeImages(entries, to);
  }
  const book = openBook(() => read(bytes, { type: 'array', cellDates: true, cellHTML: false, cellFormula: false }));
  if (!isZip) {
    const { Title, Author, Subject, Keywords, CreatedDate, ModifiedDate, Application } = book.Props ?? {};
    to.describe('dc:title', Title);
    to.describe('dc:creator', Author);
    to.describe('dc:subject', Subject);
    to.describe('meta:keyword', Keywords);
    to.describe('dcterms:created', instant(CreatedDate));
    to.describe('dcterms:modified', instant(ModifiedDate));
    to.describe('extended-properties:Application', Application);
  }
  for (const [i, name] of book.SheetNames.entries()) {
    const sheet = book.Sheets[name];
    if (sheet === undefined) continue;
    to.add({ kind: 'page', number: i + 1, name });
    const rows = utils.sheet_to_json<string[]>(sheet, { header: 1, raw: false, defval: '', blankrows: false });
    to.add({ kind: 'table', rows: rows.map((row) => row.map(String)) });
  }
};

function openBook<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (/password|encrypt/i.test((error as Error).message)) throw new EncryptedFile();
    throw error;
  }
}

function instant(date: unknown): string | undefined {
  return date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}
