import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { CsvFormat } from './csv-format.ts';
import { type CsvSettings, checkCsvSettings } from './csv-settings.ts';
import { csvSettings, pieces } from './publish-csv.test.lib.ts';

type Given = Partial<CsvSettings>;

/** Reads a file in pieces of a size. */
async function publish(text: string | Uint8Array, given: Given = {}, size = 1 << 20): Promise<CollectingPublisher> {
  const publisher = new CollectingPublisher();
  const { log, notices } = publisher;
  const format = new CsvFormat(csvSettings(given), { docIdPrefix: '', log, notices });
  await format.publish({ path: 'in.csv', name: 'in.csv', bytes: pieces(Buffer.from(text), size) }, publisher);
  return publisher;
}

/** Returns the rows that are read, the same for pieces of any size, without the fields that all documents have. */
async function rows(text: string, given: Given = {}): Promise<Record<string, unknown>[]> {
  const read = async (size: number) => {
    const { json, rejected } = await publish(text, given, size);
    expect(rejected).toEqual([]);
    return json.map((line) => {
      const { id, source, filename, csvLineNumber, ...row } = JSON.parse(line);
      return row;
    });
  };
  const whole = await read(1 << 20);
  for (const size of [1, 2, 3, 7]) expect(await read(size)).toEqual(whole);
  return whole;
}

const notices = (publisher: CollectingPublisher) =>
  publisher.collector.list().map(({ code, count, examples }) => ({ code, count, example: examples[0] }));

const ADA = [{ id_no: '1', name: 'Ada' }];

describe('the start of a CSV file', () => {
  it('skips lines before the header, with any line ends and any quotes', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['Report of "May', '', 'a,b,c', 'id_no,name', '1,Ada', ''].join(end);
      expect(await rows(text, { skipLines: 3 })).toEqual(ADA);
    }
    expect(await rows('\ufefftitle\nid_no,name\n1,Ada', { skipLines: 1 })).toEqual(ADA);
    expect(await rows('a\nb', { skipLines: 5 })).toEqual([]);
  });

  it('skips comments anywhere between rows, and blank lines before the header', async () => {
    const text = '# a "quote\n\n#\nid_no,name\n# 2,"Bob\n1,Ada\n#';
    expect(await rows(text, { commentPrefix: '#' })).toEqual(ADA);
    expect(await rows(text.replaceAll('#', '//').replaceAll('\n', '\r\n'), { commentPrefix: '//' })).toEqual(ADA);
    expect(await rows(text.replaceAll('\n', '\r'), { commentPrefix: '#' })).toEqual(ADA);
    expect(await rows('id_no,name\n"1\n#2",#3\n', { commentPrefix: '#' })).toEqual([{ id_no: '1\n#2', name: '#3' }]);
    expect((await publish('# only\n', { commentPrefix: '#' })).warnings).toEqual([
      'in.csv is empty: it has no header and no rows',
    ]);
  });

  it('names the columns of a file without header', async () => {
    const text = '1,Ada\n2,Bob\n';
    const named = await publish(text, { columns: ['id_no', 'name'], idField: 'id_no' });
    expect(named.json).toEqual([
      '{"id":"1","source":"in.csv","filename":"in.csv","id_no":"1","name":"Ada","csvLineNumber":1}',
      '{"id":"2","source":"in.csv","filename":"in.csv","id_no":"2","name":"Bob","csvLineNumber":2}',
    ]);
    expect(await rows(text, { columns: ['id_no', 'name'], header: false })).toHaveLength(2);
    expect(await rows(`x,y\n${text}`, { columns: ['id_no', 'name'], header: true })).toEqual([
      ...ADA,
      { id_no: '2', name: 'Bob' },
    ]);
    expect(await rows(text, { header: false })).toEqual([
      { column_1: '1', column_2: 'Ada' },
      { column_1: '2', column_2: 'Bob' },
    ]);
    expect(await rows('#\n1,Ada\n', { header: false, commentPrefix: '#' })).toEqual([
      { column_1: '1', column_2: 'Ada' },
    ]);
  });

  it('names exact lines after skipped lines and comments', async () => {
    const text = 'title\r\n\r\n# c\r\na,b\r\n1,2\r\n# d\r\n3\r\n"x\r\ny",4\r\n5,6,7\r\n"open,8\r\n';
    for (const size of [1, 5, 1000]) {
      const publisher = new CollectingPublisher();
      const format = new CsvFormat(csvSettings({ skipLines: 1, commentPrefix: '#' }), {
        ...publisher,
        docIdPrefix: '',
      });
      const file = { path: 'in.csv', name: 'in.csv', bytes: pieces(Buffer.from(text), size) };
      await expect(format.publish(file, publisher)).rejects.toThrow('in.csv:11:1: a quote is opened but never closed');
      expect(publisher.rejected.map(({ place, id }) => [place, id])).toEqual([
        ['in.csv:7', 'in.csv-2'],
        ['in.csv:10', 'in.csv-4'],
      ]);
      expect(publisher.documents.map((document) => document.get('csvLineNumber'))).toEqual([1, 3]);
    }
  });
});

describe('the separator of a CSV file', () => {
  it('may have several characters', async () => {
    expect(await rows('a||b||c\n1||"x||y"|| |z\n|||||\n', { separatorChar: '||' })).toEqual([
      { a: '1', b: 'x||y', c: ' |z' },
      { a: '', b: '', c: '|' },
    ]);
    expect(await rows('a~|~b\n~|~"x" \n', { separatorChar: '~|~' })).toEqual([{ a: '', b: 'x' }]);
  });

  it('is detected with auto', async () => {
    for (const separator of [',', ';', '\t', '|']) {
      const text = `id_no${separator}name\n1${separator}Ada\n`;
      expect(await rows(text, { separatorChar: 'auto' })).toEqual(ADA);
      expect(notices(await publish(text, { separatorChar: 'auto' }))).toEqual([]);
    }
    const decimal = 'a;b\n1,5;"x, y"\n2,5;z\n';
    expect(await rows(decimal, { separatorChar: 'AUTO' })).toEqual([
      { a: '1,5', b: 'x, y' },
      { a: '2,5', b: 'z' },
    ]);
    expect(await rows('name\nAda\n', { separatorChar: 'auto' })).toEqual([{ name: 'Ada' }]);
    expect(notices(await publish('a,b;c\n1,2;3\n', { separatorChar: 'auto' }))).toMatchObject([
      { code: 'csv.separator', count: 1, example: { file: 'in.csv', line: 1 } },
    ]);
  });

  it('is named by the line sep= of Excel', async () => {
    for (const line of ['sep=;\r\n', '"sep=;"\n', 'SEP=;\r']) {
      expect(await rows(`${line}id_no;name\n1;Ada\n`, { separatorChar: 'auto' })).toEqual(ADA);
      expect(await rows(`${line}id_no;name\n1;Ada\n`, { separatorChar: ';' })).toEqual(ADA);
    }
    const wrong = await publish('sep=;\nid_no;name\n1;Ada\n');
    expect(notices(wrong)[0]?.example?.hint).toContain('sep=;: set separatorChar: ";", or separatorChar: auto');
  });

  it('is suspect if the header is one column with another separator', async () => {
    expect(notices(await publish('id;name\n1;Ada\n'))).toEqual([
      {
        code: 'csv.separator',
        count: 1,
        example: { file: 'in.csv', line: 1, hint: 'there is a single column "id;name": set separatorChar: ";"' },
      },
    ]);
    expect(notices(await publish('id\tname\n1\tAda\n'))[0]?.example?.hint).toContain('set useTabs: true');
    expect(notices(await publish('a,b\n1,2\n', { separatorChar: ';' }))[0]?.example?.hint).toContain(
      'separatorChar: ","',
    );
    expect(notices(await publish('name\nAda; Bob\n'))).toEqual([]);
  });
});

describe('cells of a CSV file', () => {
  it('can have another quote', async () => {
    expect(await rows(`a,b\n'x, ''y''', "z\n`, { quoteChar: "'" })).toEqual([{ a: "x, 'y'", b: ' "z' }]);
    expect(await rows('a,b\n|x,\ny|,\\|z\n', { quoteChar: '|' })).toEqual([{ a: 'x,\ny', b: '|z' }]);
  });

  it('keep their line ends, and lose blanks after a closing quote', async () => {
    expect(await rows('a,b\n"x\r\ny\rz\n" ,"1" \t\r\n"2" x,3\n')).toEqual([
      { a: 'x\r\ny\rz\n', b: '1' },
      { a: '2 x', b: '3' },
    ]);
  });

  it('of columns without a name are ignored, and counted if they have a value', async () => {
    expect(await rows('id_no,name,\n1,Ada,\n')).toEqual(ADA);
    const pandas = await publish(',name\n0,Ada\n1,Bob\n,Cid\n');
    expect(pandas.documents.map((document) => document.get('name'))).toEqual(['Ada', 'Bob', 'Cid']);
    expect(notices(pandas)).toEqual([
      {
        code: 'csv.unnamedColumn',
        count: 2,
        example: { file: 'in.csv', line: 2, value: '0', hint: 'column 1 has no name' },
      },
      { code: 'csv.emptyColumn', count: 1, example: { file: 'in.csv', line: 1, field: 'column 1' } },
    ]);
    await expect(publish('a,b,\n1,2,\n', { emptyColumns: 'fail' })).rejects.toThrow(
      'column 3 of the header has no name',
    );
    await expect(publish(',\n1,2\n')).rejects.toThrow('column 1 of the header has no name');
  });

  it('after the last column are ignored if they are empty, and counted', async () => {
    expect(await rows('id_no,name\n1,Ada,\n')).toEqual(ADA);
    const publisher = await publish('a,b\n1,2\n3,4,""\n5,6,7\n8,9,,\n');
    expect(publisher.documents.map((document) => document.get('a'))).toEqual(['1', '3']);
    expect(publisher.rejected.map(({ place }) => place)).toEqual(['in.csv:4', 'in.csv:5']);
    expect(notices(publisher)).toEqual([{ code: 'csv.extraCell', count: 1, example: { file: 'in.csv', line: 3 } }]);
    expect((await publish('a,b\n1,2,\n', { emptyColumns: 'fail' })).rejected).toHaveLength(1);
  });

  it('of columns with the same name are kept as the setting says', async () => {
    const text = 'p,q,p,p_2,p\n1,2,3,4,5\n';
    expect(await rows(text)).toEqual([{ p: '5', q: '2', p_2: '4' }]);
    expect(notices(await publish(text))).toEqual([
      { code: 'column.duplicate', count: 2, example: { file: 'in.csv', line: 1, field: 'p' } },
    ]);
    expect(await rows(text, { duplicateColumns: 'number' })).toEqual([
      { p: '1', q: '2', p_3: '3', p_2: '4', p_4: '5' },
    ]);
    expect(await rows(text, { duplicateColumns: 'list' })).toEqual([{ p: ['1', '3', '5'], q: '2', p_2: '4' }]);
    const given: Given = { duplicateColumns: 'list', ignoredTerms: ['1', '3'] };
    expect(await rows(text, given)).toEqual([{ p: ['5'], q: '2', p_2: '4' }]);
    expect(await rows(text, { ...given, ignoredTerms: ['1', '3', '5'] })).toEqual([{ q: '2', p_2: '4' }]);
    expect(notices(await publish(text, { duplicateColumns: 'list' }))).toEqual([]);
    await expect(publish(text, { duplicateColumns: 'fail' })).rejects.toThrow('column "p" of the header occurs more');
    const files = new CollectingPublisher();
    const format = new CsvFormat(csvSettings(), { ...files, docIdPrefix: '' });
    for (const path of ['1.csv', '2.csv']) {
      await format.publish({ path, name: path, bytes: pieces(Buffer.from('p,p\n1,2\n')) }, files);
    }
    expect(files.collector.list()[0]?.examples.map(({ file }) => file)).toEqual(['1.csv', '2.csv']);
  });

  it('come from any text that is written with any syntax', async () => {
    const syntax = fc.record({
      separatorChar: fc.constantFrom(',', ';', '||', '~!~', '\u00a7', '\t'),
      quoteChar: fc.constantFrom('"', "'", '^'),
      commentPrefix: fc.constantFrom('', '#', '//', '\u00e9'),
      skipLines: fc.nat({ max: 3 }),
    });
    const part = fc.constantFrom(
      'a',
      '\u00e9',
      '\u{1f600}',
      ',',
      ';',
      '|',
      '||',
      '~',
      '!',
      '"',
      "'",
      '^',
      '#',
      '/',
      '\r\n',
      '\n',
      ' ',
      '\t',
    );
    const cell = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
    const table = fc.array(fc.tuple(cell, cell, fc.boolean()), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(syntax, table, fc.integer({ min: 1, max: 9 }), async (given, lines, size) => {
        const { separatorChar, quoteChar, commentPrefix, skipLines } = given;
        const quoted = (text: string) => `${quoteChar}${text.replaceAll(quoteChar, quoteChar + quoteChar)}${quoteChar}`;
        const comment = commentPrefix === '' ? '' : `${commentPrefix} ${quoteChar}${separatorChar}\r\n`;
        const text = [
          `skipped ${quoteChar}\r\n`.repeat(skipLines),
          `x${separatorChar}y\r\n`,
          ...lines.map(([x, y, isCommented]) =>
            [isCommented ? comment : '', quoted(x), separatorChar, quoted(y), '\r\n'].join(''),
          ),
        ].join('');
        const settings = { ...given, useTabs: false, ignoreEscapeChar: true };
        const { documents, rejected } = await publish(text, settings, size);
        expect(rejected).toEqual([]);
        expect(documents.map((document) => [document.get('x'), document.get('y')])).toEqual(
          lines.map(([x, y]) => [x, y]),
        );
      }),
      { numRuns: 300 },
    );
  });
});

it('checks the settings of the syntax of CSV', () => {
  const problems = (given: Given) => [...checkCsvSettings(csvSettings(given))].map(({ parameter }) => parameter);
  expect(problems({ separatorChar: '||', quoteChar: "'", commentPrefix: '#' })).toEqual([]);
  expect(problems({ separatorChar: 'auto', commentPrefix: '#' })).toEqual([]);
  expect(problems({ separatorChar: 'a\nb' })).toEqual(['separatorChar']);
  expect(problems({ separatorChar: '\ud800' })).toEqual(['separatorChar']);
  expect(problems({ separatorChar: '|"|' })).toEqual(['separatorChar']);
  for (const quoteChar of ['', '""', '\u00ab', ' ', '\n']) expect(problems({ quoteChar })).toEqual(['quoteChar']);
  expect(problems({ quoteChar: '', interpretQuotes: false })).toEqual([]);
  expect(problems({ quoteChar: '\\' })).toEqual(['quoteChar']);
  for (const commentPrefix of [' #', '"', ',', '\\', 'a\n']) {
    expect(problems({ commentPrefix })).toEqual(['commentPrefix']);
  }
  expect(problems({ separatorChar: 'auto', commentPrefix: '|' })).toEqual(['commentPrefix']);
  expect(problems({ columns: ['a', ''], emptyColumns: 'fail' })).toEqual(['columns[1]']);
  expect(problems({ columns: ['a', 'a'], duplicateColumns: 'fail' })).toEqual(['columns[1]']);
  expect(problems({ columns: [''] })).toEqual(['columns']);
});
