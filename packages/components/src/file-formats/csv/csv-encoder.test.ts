import { Document } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvEncoder, csvHeader } from './csv-encoder.ts';

const keeping = new CsvEncoder({ columns: ['id', 'v'], formulas: 'keep' });
const escaping = new CsvEncoder({ columns: ['id', 'v'], formulas: 'escape' });

/** Returns the text of the cell of a value. */
function cell(value: unknown, encoder = escaping): string {
  const document = Document.create('1');
  document.set('v', value as never);
  const row = encoder.encode(document);
  return /^"1","(.*)"\n$/s.exec(row)?.[1]?.replaceAll('""', '"') as string;
}

describe('a cell that a spreadsheet would compute', () => {
  it.each([
    "=cmd|'/c calc'!A1",
    '@SUM(1)',
    '+1+1',
    '-2+3',
    '-',
    '+49 30 1234',
    '\t=1',
    '\r=1',
    '\n=1',
    '\tx',
    '\0=1',
    '  =1',
    '\u00a0=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(1)',
    '-1e5+A1',
    '-0x1F',
  ])('%j is text with an apostrophe if formulas are escaped, and unchanged otherwise', (value) => {
    expect(cell(value)).toBe(`'${value}`);
    expect(cell(value, keeping)).toBe(value);
  });

  it.each(['-2', '+1', '-1.5', '+.5', '-1.', '-1.5e-3', '2', 'a=b', 'a-b', '1+1', "'=1", '(=1)', ''])(
    '%j is not such a cell',
    (value) => {
      expect(cell(value)).toBe(value);
    },
  );

  it('is neither a number, a list nor the name of a column, except one like a formula', () => {
    expect([-2, -1.5, -1e21, 7n, true].map((value) => cell(value))).toEqual(['-2', '-1.5', '-1.0E21', '7', 'true']);
    expect(cell(['=1', '=2'])).toBe('[=1, =2]');
    expect(csvHeader({ columns: ['id', '=1'], formulas: 'escape' })).toBe('"id","\'=1"\n');
    expect(csvHeader({ columns: ['id', '=1'], formulas: 'keep' })).toBe('"id","=1"\n');
  });

  it('is never written, for any text, and every text can be read back', () => {
    const piece = fc.constantFrom(
      '=',
      '+',
      '-',
      '@',
      '＝',
      '\t',
      '\n',
      '\r',
      '\0',
      ' ',
      '"',
      ',',
      '1',
      '.',
      'e',
      'x',
      "'",
    );
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 6 }), (value) => {
        const written = cell(value);
        const shown = written.replace(/^[\s\0]+/, '');
        const isNumber = !Number.isNaN(Number(written)) && /^[+-][\d.]/.test(written);
        expect(isNumber || !/^[=+\-@＝＋－＠]/.test(shown)).toBe(true);
        expect(/^[\t\r\n\0]/.test(written)).toBe(false);
        expect([written, written.replace(/^'/, '')]).toContain(value);
      }),
    );
  });
});
