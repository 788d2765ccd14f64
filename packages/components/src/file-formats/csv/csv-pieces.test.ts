import { type CsvDialect, CsvScanner } from '@headrace/formats/records/csv';
import { type SplitOptions, splitRecords } from '@headrace/formats/records/split';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SourceText } from '../encoding/source-text.ts';
import { pieces, publish } from './publish-csv.test.lib.ts';

/** A second, simple parser for the same syntax, one character at a time. Returns the cells of each record. */
function parse(text: string, { separator, quote, escapes, comment }: CsvDialect): { cells: string[]; open: boolean }[] {
  const records: { cells: string[]; open: boolean }[] = [];
  let at = 0;
  const lineEnd = () => (text.startsWith('\r\n', at) ? 2 : text[at] === '\n' || text[at] === '\r' ? 1 : 0);
  const escaped = () => {
    const next = text[at + 1];
    if (next !== undefined && (next === '\\' || next === quote)) return 1;
    return text.startsWith(separator, at + 1) ? separator.length : 0;
  };
  const afterBlanks = (from: number) => {
    let end = from;
    while ((text[end] === ' ' || text[end] === '\t') && !text.startsWith(separator, end)) end++;
    return end;
  };
  while (at < text.length) {
    if (comment !== '' && text.startsWith(comment, at)) {
      while (at < text.length && lineEnd() === 0) at++;
      at += lineEnd();
      continue;
    }
    const cells: string[] = [];
    for (;;) {
      let cell = '';
      const open = afterBlanks(at);
      if (quote !== '' && text[open] === quote) {
        at = open + 1;
        for (;;) {
          if (at >= text.length) return [...records, { cells: [], open: true }];
          if (text.startsWith(quote + quote, at)) {
            cell += quote;
            at += 2;
          } else if (text[at] === quote) {
            at++;
            break;
          } else if (text[at] === '\\' && escapes) {
            const literal = escaped();
            cell += text.slice(at + 1, at + 1 + literal);
            at += 1 + literal;
          } else cell += text[at++];
        }
        const after = afterBlanks(at);
        if (after >= text.length || /[\r\n]/.test(text[after] as string) || text.startsWith(separator, after))
          at = after;
      }
      while (at < text.length && lineEnd() === 0 && !text.startsWith(separator, at)) {
        if (text[at] === '\\' && escapes) {
          const literal = escaped();
          cell += text.slice(at + 1, at + 1 + literal);
          at += 1 + literal;
        } else cell += text[at++];
      }
      cells.push(cell);
      if (!text.startsWith(separator, at)) break;
      at += separator.length;
    }
    at += lineEnd();
    records.push({ cells, open: false });
  }
  return records;
}

const HOSTILE =
  '\ufeff"a""1",b ,  "c\r\nd"\r\n1,2,3\n\r\n"x\ny",  "q" ,"\\"é,\\\\"\r\r4,C:\\temp\\,new,5\n,,\n' +
  'ab"c"d,"日本\u{1f600}","\r"\r\n\\"1,\\,2,3\\\n"",""""," "z"\r\n  \n"l,\n\n\n",\ta,\t"b"\n6,7';

describe('a CSV file cut into pieces', () => {
  const dialects: CsvDialect[] = [
    { separator: ',', quote: '"', escapes: true, comment: '' },
    { separator: ',', quote: '"', escapes: false, comment: '' },
    { separator: ',', quote: '', escapes: true, comment: '' },
    { separator: '§', quote: '"', escapes: true, comment: '' },
    { separator: '||', quote: '"', escapes: true, comment: '4' },
  ];

  /**
   * Splits a text. Returns the parsed records of its parts, and the record and line numbers that a decoder would
   * assign.
   */
  async function split(text: string, dialect: CsvDialect, step: number, options: SplitOptions) {
    const texts: string[] = [];
    const places: string[] = [];
    let open = false;
    for await (const part of splitRecords(pieces(Buffer.from(text), step), new CsvScanner(dialect), options)) {
      if (part.kind === 'unfinished') open = true;
      else if (part.kind === 'records') {
        texts.push(Buffer.from(part.bytes).toString());
        places.push(`${part.place.record}:${part.place.line}`);
      }
    }
    return { texts, places, open };
  }

  /** Returns the numbers of the record and the line at which the rest of the text begins. */
  function placeAfter(before: string, dialect: CsvDialect): string {
    return `${parse(before, dialect).length}:${before.split(/\r\n|\r|\n/).length}`;
  }

  it('loses only the byte-order mark', async () => {
    const bytes = Buffer.from(HOSTILE);
    for (let step = 1; step <= bytes.length; step++) {
      const read: Buffer[] = [];
      const file = { path: 'in.csv', name: 'in.csv', bytes: pieces(bytes, step) };
      for await (const piece of new SourceText(file, { encoding: 'utf-8', names: 'standard' }).bytes())
        read.push(Buffer.from(piece));
      expect(Buffer.concat(read).toString()).toBe(HOSTILE.slice('\ufeff'.length));
    }
  });

  it.each(dialects)('has the same records for any cut of the bytes: %o', async (dialect) => {
    const text = HOSTILE.slice(1).replaceAll(',', dialect.separator);
    const whole = parse(text, dialect);
    for (let step = 1; step < 40; step++) {
      for (const pieceBytes of [1, 7, step]) {
        const { texts, places, open } = await split(text, dialect, step, { pieceBytes });
        const cut = texts.flatMap((part) => parse(part, dialect));
        expect(open ? [...cut, { cells: [], open: true }] : cut).toEqual(whole);
        let before = '';
        for (const [i, part] of texts.entries()) {
          expect(places[i]).toBe(placeAfter(before, dialect));
          before += part;
        }
      }
    }
  });

  const alphabet = fc.constantFrom(
    'a',
    'é',
    '#',
    '|',
    '||',
    "'",
    '\u{1f600}',
    ',',
    ',',
    '"',
    '"',
    '\\',
    '\n',
    '\r',
    '\r\n',
    ' ',
    '\t',
    '§',
  );
  const csvText = fc.array(alphabet, { maxLength: 60 }).map((parts) => parts.join(''));

  it('has the same records as with a simple parser, for any text', async () => {
    const anyDialect = fc.record({
      separator: fc.constantFrom(',', ',', '\t', ' ', '§', '||', '|,|', ', '),
      quote: fc.constantFrom('"', '"', "'", ''),
      escapes: fc.boolean(),
      comment: fc.constantFrom('', '', '#', 'aé'),
    });
    await fc.assert(
      fc.asyncProperty(csvText, anyDialect, fc.integer({ min: 1, max: 9 }), async (text, dialect, step) => {
        const { texts, open } = await split(text, dialect, step, { pieceBytes: step, firstAlone: step % 2 === 0 });
        const cut = texts.flatMap((part) => parse(part, dialect));
        expect(open ? [...cut, { cells: [], open: true }] : cut).toEqual(parse(text, dialect));
      }),
      { numRuns: 5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('has the same documents as with a simple parser, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(csvText, fc.boolean(), async (text, ignoreEscapeChar) => {
        const records = parse(`x,y\n${text}`, { separator: ',', quote: '"', escapes: !ignoreEscapeChar, comment: '' });
        if (records.at(-1)?.open === true) return;
        const found = await publish(`x,y\n${text}`, { ignoreEscapeChar });
        const isExtra = (cells: string[]) => cells.length === 3 && cells[2] === '';
        const expected = records.slice(1).filter(({ cells, open }) => !open && (cells.length === 2 || isExtra(cells)));
        expect(found.documents.map((document) => [document.get('x'), document.get('y')])).toEqual(
          expected.map(({ cells }) => cells.slice(0, 2)),
        );
      }),
      { numRuns: 5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('skips a record above the size limit, with its position', async () => {
    const text = `a,b\n1,2\n"${'x\n'.repeat(200)}",3\n4,5\n`;
    const parts: string[] = [];
    const scanner = new CsvScanner({ separator: ',', quote: '"', escapes: true, comment: '' });
    for await (const part of splitRecords(pieces(Buffer.from(text), 10), scanner, {
      pieceBytes: 16,
      maxRecordBytes: 64,
    })) {
      const { record, line } = part.place;
      parts.push(`${part.kind} ${record}:${line} ${part.kind === 'records' ? Buffer.from(part.bytes).toString() : ''}`);
    }
    expect(parts).toEqual(['records 0:1 a,b\n1,2\n', 'too-long 2:3 ', 'records 3:204 4,5\n']);
  });

  it('can have cells longer than a block and more rows than fit into a chunk', async () => {
    const long = `${'line\n'.repeat(30_000)}"" é`;
    const text = `a,b\n${Array.from({ length: 10_000 }, (_, i) => `${i},${'x'.repeat(200)}`).join('\n')}\n"${long}",end\n`;
    const publisher = await publish(text, { maxLinesPerCell: 100_000 });
    expect(publisher.chunks).toBeGreaterThan(1);
    expect(publisher.documents).toHaveLength(10_001);
    expect(publisher.documents[9_999]?.get('a')).toBe('9999');
    expect(publisher.documents[9_999]?.get('csvLineNumber')).toBe(10_000);
    expect(publisher.documents[10_000]?.get('a')).toBe(long.replace('""', '"'));
  });
});
