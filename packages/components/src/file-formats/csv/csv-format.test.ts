import { HeadraceError } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { CsvFormat } from './csv-format.ts';
import { type CsvSettings, checkCsvSettings } from './csv-settings.ts';
import { csvSettings, pieces, publish } from './publish-csv.test.lib.ts';

/** Returns the documents without the fields that all documents have. */
async function rows(
  text: string | Uint8Array,
  settings: Partial<CsvSettings> = {},
): Promise<Record<string, unknown>[]> {
  const { json } = await publish(text, settings);
  return json.map((line) => {
    const { id, source, filename, csvLineNumber, ...row } = JSON.parse(line);
    expect([id, source, filename]).toEqual([`in.csv-${csvLineNumber}`, '/data/in.csv', 'in.csv']);
    return row;
  });
}

describe('CsvFormat', () => {
  it('creates a document of each row', async () => {
    const { json } = await publish('no,Name\n1,Ann\n2,"Bob, Jr."\n');
    expect(json).toEqual([
      '{"id":"in.csv-1","source":"/data/in.csv","filename":"in.csv","no":"1","Name":"Ann","csvLineNumber":1}',
      '{"id":"in.csv-2","source":"/data/in.csv","filename":"in.csv","no":"2","Name":"Bob, Jr.","csvLineNumber":2}',
    ]);
  });

  it('reads line ends of every kind and a last line without one', async () => {
    expect(await rows('a,b\r\n1,2\n3,4\r5,6')).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
      { a: '5', b: '6' },
    ]);
    expect(await rows('a,b\r1,2\r3,4\r')).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
    expect(await rows('a\n"x\r\ny\rz"\n')).toEqual([{ a: 'x\r\ny\rz' }]);
  });

  it('never reads a byte-order mark as data', async () => {
    expect(await rows('\ufeffa,b\n1,2\n')).toEqual([{ a: '1', b: '2' }]);
    expect(await rows('\ufeff"a","b\nc"\n1,2\n')).toEqual([{ a: '1', 'b\nc': '2' }]);
    expect((await publish('\ufeff')).warnings).toEqual(['/data/in.csv is empty: it has no header and no rows']);
  });

  it('reads quotes only at the start of a cell', async () => {
    expect(await rows('a,b\n"x" ,  "y, z"\nab"c"d,5" pipe\n"say ""hi""",""\n')).toEqual([
      { a: 'x', b: 'y, z' },
      { a: 'ab"c"d', b: '5" pipe' },
      { a: 'say "hi"', b: '' },
    ]);
    expect(await rows('a,b\n"x,y"\n', { interpretQuotes: false })).toEqual([{ a: '"x', b: 'y"' }]);
  });

  it('reads backslashes as escapes and logs it once, or keeps them if configured', async () => {
    const text = 'a,b\nC:\\temp\\new,1\nx\\,y,2\nsay \\"hi\\",3\n"d\\\\s\\",4",\\\nend\\\\,6\n';
    expect(await rows(text)).toEqual([
      { a: 'C:tempnew', b: '1' },
      { a: 'x,y', b: '2' },
      { a: 'say "hi"', b: '3' },
      { a: 'd\\s",4', b: '' },
      { a: 'end\\', b: '6' },
    ]);
    expect((await publish(text)).warnings).toEqual([expect.stringContaining('ignoreEscapeChar: true')]);
    expect(await rows('a,b\n"C:\\dir\\",1\n', { ignoreEscapeChar: true })).toEqual([{ a: 'C:\\dir\\', b: '1' }]);
  });

  it('separates at the configured character', async () => {
    expect(await rows('a;b\n1;2,0\n', { separatorChar: ';' })).toEqual([{ a: '1', b: '2,0' }]);
    expect(await rows('a\tb\n1\t "2"\n', { useTabs: true, separatorChar: ';' })).toEqual([{ a: '1', b: '2' }]);
    expect(await rows('a b\n1 "2 3"\n', { separatorChar: ' ' })).toEqual([{ a: '1', b: '2 3' }]);
    expect(await rows('a§b\n1§"2§\n3"\n', { separatorChar: '§' })).toEqual([{ a: '1', b: '2§\n3' }]);
  });

  it('preserves all characters, also NUL, and replaces bytes that are not UTF-8', async () => {
    expect(await rows('naïve,日本\nçà,\u{1f600}\0\n')).toEqual([{ naïve: 'çà', 日本: '\u{1f600}\0' }]);
    expect(await rows(Buffer.from('YSxiCmNhZuks//4Kb2ssMQo=', 'base64'))).toEqual([
      { a: 'caf\ufffd', b: '\ufffd\ufffd' },
      { a: 'ok', b: '1' },
    ]);
  });

  it('skips blank lines and rejects rows of another length with their positions', async () => {
    const publisher = await publish('a,b\n\n"x\ny",1\n2\n  \n3,4,5\n6,7\n', {}, 'p-');
    expect(publisher.documents.map((document) => [document.id, document.get('csvLineNumber')])).toEqual([
      ['p-in.csv-2', 2],
      ['p-in.csv-6', 6],
    ]);
    expect(publisher.rejected).toEqual([
      { place: '/data/in.csv:5', message: 'the row has 1 column, the header 2', id: 'p-in.csv-3' },
      { place: '/data/in.csv:7', message: 'the row has 3 columns, the header 2', id: 'p-in.csv-5' },
    ]);
  });

  it('fails on a quote that is never closed, with line and column, after the rows before it', async () => {
    const failing = async (text: string, settings: Partial<CsvSettings> = {}) => {
      const publisher = new CollectingPublisher();
      const format = new CsvFormat(csvSettings(settings), {
        docIdPrefix: '',
        log: publisher.log,
        notices: publisher.notices,
      });
      const file = { path: '/data/in.csv', name: 'in.csv', bytes: pieces(Buffer.from(text)) };
      const error = await format.publish(file, publisher).catch((error) => error);
      expect(publisher.rejected).toEqual([]);
      return [publisher.documents.length, error.code, error.message];
    };
    const rest = 'a quote is opened but never closed: the rest of the file was not read';
    const incomplete = 'HR_SOURCE_INCOMPLETE';
    expect(await failing('a,b\n"open,1\n2,3\n')).toEqual([0, incomplete, `/data/in.csv:2:1: ${rest}`]);
    expect(await failing('a,b\n1,2\n3,é "x\n4, "open\n5,6\n')).toEqual([2, incomplete, `/data/in.csv:4:4: ${rest}`]);
    expect(await failing('a,b\n1,2\n"x\r\ny","open\n5,6\n')).toEqual([1, incomplete, `/data/in.csv:4:4: ${rest}`]);
    expect(await failing('a,"b\n1,2\n')).toEqual([0, 'HR_SOURCE_UNREADABLE', `/data/in.csv:1:3: ${rest}`]);
  });

  it('reports text after a closing quote with line and column, and keeps it in the cell', async () => {
    const read = async (text: string, step = text.length, settings: Partial<CsvSettings> = {}) => {
      const publisher = new CollectingPublisher();
      const format = new CsvFormat(csvSettings(settings), {
        docIdPrefix: '',
        log: publisher.log,
        notices: publisher.notices,
      });
      const file = { path: 'in.csv', name: 'in.csv', bytes: pieces(Buffer.from(text), step) };
      await format.publish(file, publisher);
      return publisher;
    };
    const swallowing = 'k,é\n1,"He said "hi""\n2,"open\n3,"x" y\n4,z\n';
    for (const step of [1, 2, 5, 1000]) {
      const { json, warnings } = await read(swallowing, step);
      expect(json.map((line) => JSON.parse(line)['é'])).toEqual(['He said hi""', 'open\n3,x" y', 'z']);
      expect(warnings.map((warning) => warning.replace(/: text.*/s, ''))).toEqual(['in.csv:2:13', 'in.csv:4:4']);
    }
    expect(await read('é\n"ö\nü" "x\n').then(({ warnings }) => warnings)).toEqual([
      expect.stringMatching(/^in\.csv:3:4: text follows the closing quote/),
    ]);
    // White space after a quote is allowed, and without interpretQuotes nothing is reported.
    for (const text of ['a,b\n"x" ,"y"\t\r\n"1" , "2" \r"3","4"', 'a b\n"x" "y"\n', 'a§b\n"x"§"y" § \n']) {
      const separatorChar = text[1] as string;
      for (const step of [1, 3, 1000]) expect((await read(text, step, { separatorChar })).warnings).toEqual([]);
    }
    expect((await read('a\n"x"y\n', 100, { interpretQuotes: false })).warnings).toEqual([]);
    const many = await read(`a\n${'"x"y\n'.repeat(50)}`);
    expect(many.warnings).toHaveLength(11);
    const [notice] = many.collector.list();
    expect(notice).toMatchObject({ code: 'csv.textAfterQuote', class: 'suspect', count: 50 });
    expect(notice?.examples[0]).toEqual({ file: 'in.csv', line: 2, column: 4 });
    expect(many.documents).toHaveLength(50);
  });

  it('rejects a row with a cell of too many lines, with the position of its quote', async () => {
    const text = 'a,b\n1,2\n"x\ny\nz",3\n"4",é"\n5,  "open\n6,7\r\n8,9"\n10,11\n';
    expect((await publish(text)).rejected).toEqual([]);
    expect((await publish(text, { maxLinesPerCell: 3 })).rejected).toEqual([]);
    for (const maxLinesPerCell of [1, 2]) {
      const { rejected, documents } = await publish(text, { maxLinesPerCell });
      expect(rejected.map(({ place, id }) => [place, id])).toEqual([
        ['/data/in.csv:3:1', 'in.csv-2'],
        ['/data/in.csv:7:5', 'in.csv-4'],
      ]);
      expect(rejected[1]?.message).toContain(`has 3 lines, more than maxLinesPerCell (${maxLinesPerCell})`);
      expect(documents.map(({ id }) => id)).toEqual(['in.csv-1', 'in.csv-3', 'in.csv-5']);
    }
    const second = await publish('a,b\n"1\n2","é\n\n"\n', { maxLinesPerCell: 2 });
    expect(second.rejected.map(({ place }) => place)).toEqual(['/data/in.csv:3:4']);
    const long = `a,b\n"${'x\n'.repeat(999)}",1\n"${'x\n'.repeat(1000)}",2\n`;
    const { rejected, documents } = await publish(long);
    expect([documents.length, rejected.map(({ place }) => place)]).toEqual([1, ['/data/in.csv:1002:1']]);
  });

  it('writes fields with the same name in the order of the file, the line number last', async () => {
    const duplicate = await publish('a,b,a\n1,2,3\n', { idField: 'a' });
    expect(duplicate.json[0]).toContain('"id":"1"');
    expect(duplicate.json[0]).toContain('"a":"3","b":"2"');
    expect(duplicate.warnings).toEqual([expect.stringContaining('"a" occurs more than once')]);
    const same = { filePathField: 'p', filenameField: 'p', lineNumberField: 'p' };
    expect((await publish('a\n1\n', same)).json).toEqual(['{"id":"in.csv-1","p":1,"a":"1"}']);
    expect((await publish('source,filename,csvLineNumber\n1,2,3\n')).json).toEqual([
      '{"id":"in.csv-1","source":"1","filename":"2","csvLineNumber":1}',
    ]);
  });

  it('creates no fields with reserved names but can use them for ids', async () => {
    const publisher = await publish('id,v,___dropped\n7,a,x\n', { idField: 'id' });
    expect(publisher.json).toEqual([
      '{"id":"7","source":"/data/in.csv","filename":"in.csv","v":"a","csvLineNumber":1}',
    ]);
    // The column of the id is used, so there is no warning about it.
    expect(publisher.warnings).toEqual([expect.stringContaining('column "___dropped" makes no field')]);
    expect((await publish('ID,v\n7,a\n', { idField: 'ID', lowercaseFields: true })).warnings).toEqual([]);
    expect((await publish('id,v\n7,a\n')).warnings).toEqual([expect.stringContaining('column "id" makes no field')]);
  });

  it('creates ids from columns, with format and prefix', async () => {
    const text = 'k,v\na,1\n';
    expect((await publish(text, { idFields: ['k', 'v'] }, 'p-')).documents[0]?.id).toBe('p-a_1');
    expect((await publish(text, { idFields: ['k', 'v'], docIdFormat: '%2$s|%-3s|%3s' })).documents[0]?.id).toBe(
      '1|a  |  1',
    );
    expect((await publish(text, { idField: 'v', idFields: ['k'] })).documents[0]?.id).toBe('1');
    expect((await publish('K,v\na,1\n', { idField: 'K', lowercaseFields: true })).documents[0]?.id).toBe('a');
  });

  it('rejects a row with an empty id and warns once about blank ids', async () => {
    const publisher = await publish('k,v\n,a\nx,b\n  ,c\n', { idField: 'k' });
    expect(publisher.documents.map((document) => document.id)).toEqual(['x', '  ']);
    expect(publisher.rejected).toEqual([{ place: '/data/in.csv:2', message: 'k is blank: there is no id' }]);
    expect(publisher.warnings).toHaveLength(1);
  });

  it('omits cells with ignored terms', async () => {
    expect(await rows('a,b,a\n1,,-\n2,x,3\n', { ignoredTerms: ['', '-'] })).toEqual([{ a: '1' }, { a: '3', b: 'x' }]);
    expect(await rows('a,b\n1,-\n2,-\n-,-\n', { ignoredTerms: ['-'] })).toEqual([{ a: '1' }, { a: '2' }, {}]);
    const { json } = await publish('k,source,b\n1,-,x\n-,s,-\n', { idField: 'k', ignoredTerms: ['-'] });
    expect(json).toEqual([
      '{"id":"1","source":"/data/in.csv","filename":"in.csv","k":"1","b":"x","csvLineNumber":1}',
      '{"id":"-","source":"s","filename":"in.csv","csvLineNumber":2}',
    ]);
  });

  it('fails on a header with which every row would fail', async () => {
    await expect(publish('a,,c\n1,2,3\n', { emptyColumns: 'fail' })).rejects.toThrow(
      'column 2 of the header has no name',
    );
    await expect(publish('\nx\ny\n')).rejects.toThrow('column 1 of the header has no name');
    const unknown = await publish('id_no,Name\n1,2\n', { idField: 'id_n' }).catch((error) => error);
    expect(unknown).toBeInstanceOf(HeadraceError);
    expect([unknown.code, unknown.hint]).toEqual(['HR_SOURCE_UNREADABLE', 'Did you mean id_no?']);
  });

  it('stops when the run is aborted', async () => {
    const publisher = new CollectingPublisher();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a\n');
      for (;;) {
        // Few rows: the publisher of the test keeps them all.
        yield Buffer.alloc(100_000, `${'1'.repeat(99)}\n`);
        if (publisher.chunks > 0) publisher.abort();
      }
    }
    const format = new CsvFormat(csvSettings(), { docIdPrefix: '', log: publisher.log, notices: publisher.notices });
    await format.publish({ path: 'in.csv', name: 'in.csv', bytes: endless() }, publisher);
    expect(publisher.chunks).toBe(1);
  });

  it('reports problems in the settings', () => {
    const problems = (settings: Partial<CsvSettings>) =>
      [...checkCsvSettings(csvSettings(settings))].map(({ parameter }) => parameter);
    expect(problems({})).toEqual([]);
    expect(problems({ separatorChar: '' })).toEqual(['separatorChar']);
    expect(problems({ separatorChar: '', useTabs: true })).toEqual([]);
    expect(problems({ separatorChar: '"' })).toEqual(['separatorChar']);
    expect(problems({ separatorChar: '"', interpretQuotes: false })).toEqual([]);
    expect(problems({ separatorChar: '\\' })).toEqual(['separatorChar']);
    expect(problems({ lineNumberField: 'id', filenameField: '' })).toEqual(['lineNumberField', 'filenameField']);
    expect(problems({ idField: 'a', docIdFormat: '%d' })).toEqual(['docIdFormat']);
    expect(problems({ idFields: ['a'], docIdFormat: '%2$s' })).toEqual(['docIdFormat']);
    expect([...checkCsvSettings(csvSettings({ docIdFormat: '%s' }))][0]?.severity).toBe('warning');
  });
});
