import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CsvScanner } from './csv-scanner.ts';

const piece = fc.constantFrom(
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  ' ',
  '\t',
  'ab',
  '",',
  ',"',
  '"\n',
  '\n"',
  'é',
  '\\',
  '|',
  '||',
  '#',
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
const dialect = fc.record({
  separator: fc.constantFrom(',', ',', '\t', '§', '||', ', ', '  ', '|||'),
  quote: fc.constantFrom('"', '"', "'", ''),
  escapes: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  comment: fc.constantFrom('', '', '#', 'ab', 'é'),
});

type Dialect = ConstructorParameters<typeof CsvScanner>[0];

/** Scans one record at a time, which makes the scanner read cell by cell. */
function scanOneByOne(bytes: Uint8Array, dialect: Dialect) {
  const scanner = new CsvScanner(dialect);
  let end = -1;
  for (let at = 0; at < bytes.length; ) {
    const next = scanner.scan(bytes, at, bytes.length, true);
    if (next < 0) break;
    end = at = next;
  }
  return summary(scanner, end);
}

function scanAtOnce(bytes: Uint8Array, dialect: Dialect) {
  const scanner = new CsvScanner(dialect);
  return summary(scanner, scanner.scan(bytes, 0, bytes.length, false));
}

/** Scans the bytes in two parts, as when a file is read in two parts. */
function scanInParts(bytes: Uint8Array, cut: number, dialect: Dialect) {
  const scanner = new CsvScanner(dialect);
  const first = scanner.scan(bytes, 0, cut, false);
  return summary(scanner, Math.max(first, scanner.scan(bytes, cut, bytes.length, false)));
}

function summary(scanner: CsvScanner, end: number) {
  const { records, line, strayCount, strays } = scanner;
  return { records, line, strayCount, strays, end, finished: scanner.finish() };
}

it('finds the same records, lines and stray texts in one scan, in parts, and record by record', () => {
  fc.assert(
    fc.property(text, dialect, fc.nat({ max: 60 }), (content, dialect, cut) => {
      const bytes = Buffer.from(content);
      const { end, ...expected } = scanOneByOne(bytes, dialect);
      const atOnce = scanAtOnce(bytes, dialect);
      expect(atOnce).toMatchObject(expected);
      // Record by record, a comment at the end is not the end of a record.
      if (dialect.comment === '') expect(atOnce.end).toBe(end);
      expect(scanInParts(bytes, Math.min(cut, bytes.length), dialect)).toEqual(atOnce);
    }),
    { numRuns: process.env['CI'] === undefined ? 5_000 : 20_000 },
  );
});

it('finds the same records in one scan of a long text and in parts', () => {
  fc.assert(
    fc.property(text, dialect, fc.integer({ min: 100_000, max: 200_000 }), (content, dialect, length) => {
      const bytes = Buffer.from(`${content}a`.repeat(Math.ceil(length / (content.length + 1))));
      const scanner = new CsvScanner(dialect);
      let end = -1;
      for (let at = 0; at < bytes.length; at += 50_000) {
        end = Math.max(end, scanner.scan(bytes, at, Math.min(at + 50_000, bytes.length), false));
      }
      expect(scanAtOnce(bytes, dialect)).toEqual(summary(scanner, end));
    }),
    { numRuns: 30 },
  );
});
