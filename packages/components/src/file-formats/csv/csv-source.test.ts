import type { DocumentTable, RecordSink } from '@headrace/engine';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { JsonEncoder } from '../json/json-encoder.ts';
import { CsvDecoder } from './csv-decoder.ts';
import { CsvEncoder } from './csv-encoder.ts';
import { type CsvSettings, dialectOf } from './csv-settings.ts';
import { csvSettings } from './publish-csv.test.lib.ts';

const HEADER = ['a', 'b', 'c', 'd'];
/** Texts that JSON or CSV must escape, and parts of the syntax of CSV. */
const PIECES = [
  '=1',
  '-2',
  '+',
  '@',
  '＝',
  'x',
  'é',
  '東京',
  '😀',
  '"',
  '""',
  '\\',
  '\t',
  '\0',
  '\n',
  '\r\n',
  '\r',
  ',',
  ' ',
  'NULL',
  '',
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 3 }).map((pieces) => pieces.join(''));
const plain = fc.constantFrom('x', 'é', '', 'two words', 'NULL');
const quoted = text.map((value) => `"${value.replaceAll('"', '""')}"`);
const raw = text.map((value) => value.replaceAll(/[,\r\n]/g, ''));
const cell = fc.oneof({ weight: 4, arbitrary: plain }, quoted, raw);
const row = fc.array(cell, { minLength: 4, maxLength: 4 });
const settings = fc.record(
  {
    interpretQuotes: fc.boolean(),
    ignoreEscapeChar: fc.boolean(),
    ignoredTerms: fc.constantFrom(['NULL'], ['', 'x']),
    idField: fc.constant('b'),
  },
  { requiredKeys: [] },
);

/** Removes the empty texts of some rows from a column, as a stage with a condition does. */
function removeEmpty(table: DocumentTable, name: string): void {
  const some = table.select(Array.from({ length: table.count }, (_, i) => i).filter((i) => i % 3 > 0));
  const column = some.column(name);
  if (column === undefined || some.count === 0) return;
  some.thin(
    name,
    column.map((value) => (value === '' ? undefined : value)),
  );
  table.merge(some);
}

it('rows of CSV files are written in the same way as tables and as single documents', () => {
  const encoders = [
    new JsonEncoder({ whitelist: [], blacklist: [] }),
    new CsvEncoder({ columns: ['a', 'id', 'missing', 'renamed', 'b', 'c', 'source'], formulas: 'keep' }),
    new CsvEncoder({ columns: ['a', 'id', 'missing', 'renamed', 'b', 'c', 'source'], formulas: 'escape' }),
  ];
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), settings, text, (rows, given, path) => {
      const settings = csvSettings(given as Partial<CsvSettings>);
      const decoder = new CsvDecoder({ header: HEADER, settings, dialect: dialectOf(settings), docIdPrefix: '' });
      const tables: DocumentTable[] = [];
      const ignore = () => undefined;
      const sink = {
        table: (table: DocumentTable) => tables.push(table),
        document: ignore,
        reject: ignore,
        warn: ignore,
        notice: ignore,
      };
      const bytes = Buffer.from(`${rows.map((cells) => cells.join(',')).join('\n')}\n`);
      decoder.decode(bytes, { path, name: 'file', record: 1, line: 2 }, sink as RecordSink);
      for (const table of tables) {
        removeEmpty(table, 'c');
        table.rename('d', 'renamed');
        for (const encoder of encoders) {
          const single = Array.from({ length: table.count }, (_, i) => encoder.encode(table.document(i)));
          expect(encoder.encodeTable(table)).toEqual(single);
        }
      }
    }),
    { numRuns: 500 },
  );
});
