import { type BookType, type CellObject, utils, type WorkBook, write } from '@e965/xlsx';
import { zipOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';
import { readOptions } from '../testing/read-options.ts';

/** 2024-04-03 15:30:00. */
const AFTERNOON = 45385.645833333336;
const DAY = 45385;

/** Returns a workbook of one column with these numbers and formats. */
function workbook(cells: readonly (readonly [number, string])[], from1904 = false): WorkBook {
  const sheet = utils.aoa_to_sheet(cells.map(([v]) => [v]));
  for (const [i, [v, z]] of cells.entries()) sheet[`A${i + 1}`] = { t: 'n', v, z } satisfies CellObject;
  const book = utils.book_new(sheet, 'one');
  if (from1904) book.Workbook = { ...book.Workbook, WBProps: { date1904: true } };
  return book;
}

async function cellsOf(file: Buffer, dates: 'format' | 'iso' = 'format'): Promise<string[]> {
  const { text, problem } = await parsed(file, { options: { ...readOptions, dates } });
  if (problem !== undefined) throw new Error(problem.message);
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const file = (book: WorkBook, bookType: BookType) => write(book, { type: 'buffer', bookType }) as Buffer;

const CASES: readonly (readonly [number, string, shown: string, iso: string])[] = [
  [DAY, 'dd.mm.yyyy', '03.04.2024', '2024-04-03'],
  [DAY, 'd. mmmm yyyy', '3. April 2024', '2024-04-03'],
  [DAY, 'yyyy.mm.dd', '2024.04.03', '2024-04-03'],
  [DAY, '[$-407]dddd, d. mmmm yyyy;@', 'Mittwoch, 3. April 2024', '2024-04-03'],
  [AFTERNOON, 'dd.mm.yyyy hh:mm', '03.04.2024 15:30', '2024-04-03T15:30:00'],
  [AFTERNOON, 'd.m.yy\\ h.mm\\ "Uhr"', '3.4.24 15.30 Uhr', '2024-04-03T15:30:00'],
  [AFTERNOON - DAY, 'hh.mm', '15.30', '15:30:00'],
  [AFTERNOON - DAY, 'h.mm.ss', '15.30.00', '15:30:00'],
  [AFTERNOON - DAY, 'h:mm AM/PM', '3:30 PM', '15:30:00'],
  [AFTERNOON - DAY, 'mm:ss.0', '30:00.0', '15:30:00'],
  [1.5, '[h]:mm', '36:00', '36:00:00'],
  [1.5, '[h].mm', '36.00', '36:00:00'],
  [DAY, 'dd/mm/yyyy', '03/04/2024', '2024-04-03'],
  // Format 14 of Excel. The file names no language.
  [DAY, 'm/d/yy', '2024-04-03', '2024-04-03'],
  [60, 'dd.mm.yyyy', '29.02.1900', '1900-02-29'],
  [0.5, '0.0"."', '0.5.', '0.5.'],
];

describe.each(['xlsx', 'xlsb', 'biff8'] as const)('dates and times of a workbook in %s', (type) => {
  const cells = CASES.map(([value, format]) => [value, format] as const);
  it('are shown with the format of the file', async () => {
    expect(await cellsOf(file(workbook(cells), type))).toEqual(CASES.map(([, , shown]) => shown));
  });

  it('are written as ISO', async () => {
    expect(await cellsOf(file(workbook(cells), type), 'iso')).toEqual(CASES.map(([, , , iso]) => iso));
  });

  it('count from 1904 if the workbook says so', async () => {
    const book = workbook(
      [
        [DAY - 1462, 'dd.mm.yyyy'],
        [0.25, 'hh.mm'],
        [2.25, '[h]:mm'],
      ],
      true,
    );
    expect(await cellsOf(file(book, type))).toEqual(['03.04.2024', '06.00', '54:00']);
    expect(await cellsOf(file(book, type), 'iso')).toEqual(['2024-04-03', '06:00:00', '54:00:00']);
  });
});

it('shows the short date of Excel in the language of the file', async () => {
  const withLanguage = (Language: string) => {
    const book = workbook([
      [DAY, 'm/d/yy'],
      [AFTERNOON, 'm/d/yy h:mm'],
      [DAY, '[$-F800]dddd, mmmm dd, yyyy'],
    ]);
    book.Props = { Language };
    return file(book, 'xlsx');
  };
  expect(await cellsOf(withLanguage('de-DE'))).toEqual(['03.04.2024', '03.04.2024 15:30', 'Mittwoch, 3. April 2024']);
  expect(await cellsOf(withLanguage('en-US'))).toEqual(['04/03/2024', '04/03/2024 15:30', 'Wednesday, April 3, 2024']);
  expect(await cellsOf(withLanguage('no language at all'))).toEqual(['2024-04-03', '2024-04-03 15:30', '2024-04-03']);
});

it('writes dates and times of OpenDocument as they are shown, or as ISO', async () => {
  const cell = (attributes: string, text: string) =>
    `<table:table-row><table:table-cell ${attributes}><text:p>${text}</text:p></table:table-cell></table:table-row>`;
  const rows = [
    cell('office:value-type="date" office:date-value="2024-04-03"', '03.04.24'),
    cell('office:value-type="date" office:date-value="2024-04-03T15:30:00"', '3. April, 15.30'),
    cell('office:value-type="time" office:time-value="PT36H05M00S"', '36.05'),
    cell('office:value-type="string"', 'a text'),
  ];
  const content = `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><office:spreadsheet><table:table table:name="one">${rows.join('')}</table:table></office:spreadsheet></office:body></office:document-content>`;
  const ods = zipOf([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet' },
    { name: 'content.xml', content },
  ]);
  expect(await cellsOf(ods)).toEqual(['03.04.24', '3. April, 15.30', '36.05', 'a text']);
  expect(await cellsOf(ods, 'iso')).toEqual(['2024-04-03', '2024-04-03T15:30:00', '36:05:00', 'a text']);
});
