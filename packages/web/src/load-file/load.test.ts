import { parse, toValue } from '@headrace/hocon';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detectFile, type FirstDocuments, firstObject } from './detect-file.ts';
import { fieldNames } from './field-names.ts';
import { conversionProblem, guessId, guessType } from './field-types.ts';
import { type FieldChoice, type LoadChoices, loadConfig, previewConfig } from './load-config.ts';

function field(name: string, more: Partial<FieldChoice> = {}): FieldChoice {
  return { name, keep: true, newName: name, type: 'text', pattern: '', isText: true, ...more };
}

function choices(more: Partial<LoadChoices> = {}): LoadChoices {
  return {
    name: 'products',
    file: {
      path: '/data/products.csv',
      format: 'csv',
      separator: ',',
      encoding: 'utf-8',
      escapes: true,
      idField: 'sku',
    },
    fields: [field('sku')],
    trim: true,
    destination: {
      kind: 'opensearch',
      url: 'http://localhost:9200',
      index: 'products',
      user: '',
      password: '',
      file: '',
    },
    ...more,
  };
}

/** The parts of a config that these tests read. */
interface LoadedConfig {
  connectors: [Record<string, unknown>];
  pipelines: [{ stages: Record<string, unknown>[] }];
  indexer: Record<string, unknown>;
  solr: Record<string, unknown>;
  jsonl: Record<string, unknown>;
}

function parsedConfig(text: string): LoadedConfig {
  const { root, problems } = parse(text);
  expect(problems).toEqual([]);
  return toValue(root) as unknown as LoadedConfig;
}

it('a type is guessed only if all values have it', () => {
  expect(guessType(['1', ' 2.5 ', ''])).toEqual({ type: 'number' });
  expect(guessType(['1', 'two'])).toEqual({ type: 'text' });
  // Codes with leading zeros, and numbers that would lose digits.
  expect(guessType(['00501'])).toEqual({ type: 'text' });
  expect(guessType(['1234567890123456'])).toEqual({ type: 'text' });
  expect(guessType(['2024-05-06', '2024-12-31'])).toEqual({ type: 'date', pattern: 'yyyy-MM-dd' });
  expect(guessType(['13/01/2024', '01/02/2024'])).toEqual({ type: 'date', pattern: 'dd/MM/yyyy' });
  expect(guessType(['2024-05-06 07:08:09'])).toEqual({ type: 'date', pattern: 'yyyy-MM-dd HH:mm:ss' });
  expect(guessType([1, 2])).toEqual({ type: 'text' });
  expect(guessType(['', ' '])).toEqual({ type: 'text' });
});

it('numbers with a comma are guessed only if one value shows what the comma means', () => {
  expect(guessType(['3,50', '4', '1.200,10'])).toEqual({ type: 'number', pattern: '1.234,5' });
  expect(guessType(['1,200.50', '950', '1,100'])).toEqual({ type: 'number', pattern: '1,234.5' });
  expect(guessType(['1,234,567'])).toEqual({ type: 'number', pattern: '1,234.5' });
  expect(guessType(['1,234', '950'])).toEqual({ type: 'text' });
  expect(guessType(['1,2,3'])).toEqual({ type: 'text' });
});

it('a value without the chosen type is noticed', () => {
  expect(conversionProblem('number', 'ask us', 'ask us')).toContain('stays a text');
  expect(conversionProblem('number', '3', 3)).toBeUndefined();
  expect(conversionProblem('number', undefined, undefined)).toBeUndefined();
  expect(conversionProblem('date', '31.12.', undefined)).toContain('omitted');
  expect(conversionProblem('date', ' ', undefined)).toBeUndefined();
  expect(conversionProblem('date', '2024-05-06', '2024-05-06T00:00:00Z')).toBeUndefined();
  expect(conversionProblem('text', 'ask us', 'ask us')).toBeUndefined();
});

it('names of fields in the index have no spaces, no underscore at the start, and differ', () => {
  expect(fieldNames(['id', '_id', '_source', ' unit  price ', 'source', '_', 'unit price'])).toEqual([
    ...['id', 'source_id', 'source_2', 'unit_price', 'source', '_', 'unit_price_2'],
  ]);
});

it('columns with the names of the fields of the connector are kept', () => {
  const config = parsedConfig(loadConfig(choices({ fields: [field('sku'), field('source'), field('source_of_row')] })));
  expect(config.connectors[0]).toMatchObject({ filePathField: 'source_of_row_of_row' });
  expect(config.connectors[0]).not.toHaveProperty('filenameField');
  expect(config.pipelines[0].stages.at(-1)).toEqual({
    class: 'DeleteFields',
    fields: ['source_of_row_of_row', 'filename', 'csvLineNumber'],
  });
});

it('an id is a field with different values and the name of an id', () => {
  const fields = [
    { name: 'name', values: ['a', 'b'] },
    { name: 'shop_id', values: ['1', '1'] },
    { name: 'sku', values: ['x', 'y'] },
  ];
  expect(guessId(fields)).toBe('sku');
  expect(guessId([...fields, { name: 'productId', values: [1, 2] }])).toBe('productId');
  expect(guessId(fields.slice(0, 2))).toBe('');
});

it('the config has the choices of the form', () => {
  const config = parsedConfig(
    loadConfig(
      choices({
        file: { path: '/a "b".csv', format: 'csv', separator: ';', encoding: 'auto', escapes: true, idField: 'sku' },
        fields: [
          field('sku'),
          field('unit price', { newName: 'price', type: 'number' }),
          field('added', { type: 'date', pattern: 'dd.MM.yyyy' }),
          field('a.b', { newName: 'c.d' }),
          field('internal', { keep: false }),
          field('sizes', { isText: false }),
        ],
        destination: { kind: 'solr', url: 'http://h:8983/solr/', index: 'items', user: 'u', password: 'p"w', file: '' },
      }),
    ),
  );
  expect(config.connectors).toEqual([
    {
      ...{ name: 'products', pipeline: 'main', class: 'CSVConnector', path: '/a "b".csv' },
      ...{ separatorChar: ';', encoding: 'auto', ignoredTerms: [''], idField: 'sku' },
    },
  ]);
  expect(config.pipelines[0].stages).toEqual([
    { class: 'TrimWhitespace', fields: ['sku', 'unit price', 'added', 'a.b'] },
    { class: 'DeleteFields', fields: ['internal', 'source', 'filename', 'csvLineNumber'] },
    { class: 'RenameFields', fieldMapping: { 'unit price': 'price', 'a.b': 'c.d' } },
    { class: 'ApplyJSONata', source: 'price', expression: '$number($)' },
    { class: 'ParseDate', source: ['added'], dest: ['added'], formatStrs: ['dd.MM.yyyy'], timeZoneId: 'UTC' },
  ]);
  expect(config.indexer).toEqual({ type: 'Solr', blacklist: ['run_id'] });
  expect(config.solr).toEqual({ url: 'http://h:8983/solr/items', userName: 'u', password: 'p"w' });
});

it('JSON objects with another id are read with the handler of their extension', () => {
  const connectorOf = (path: string, idField: string) =>
    parsedConfig(
      previewConfig(
        choices({ file: { path, format: 'json', separator: '', encoding: 'utf-8', escapes: false, idField } }),
      ),
    ).connectors[0];
  expect(connectorOf('/a.jsonl', 'id')).toMatchObject({ class: 'JSONConnector', jsonPath: '/a.jsonl' });
  expect(connectorOf('/a.jsonl', 'sku')).toMatchObject({ fileHandlers: { jsonl: { idField: 'sku' } } });
  expect(connectorOf('/a.ndjson', 'sku')).toMatchObject({
    fileHandlers: { ndjson: { class: 'JSONFileHandler', idField: 'sku' } },
  });
});

it('any text that a user enters stays one value of the config', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'binary-ascii' }), (first, second) => {
      const file = {
        path: `/${first}`,
        format: 'csv',
        separator: ';',
        encoding: 'utf-8',
        escapes: true,
        idField: second,
      } as const;
      const destination = { kind: 'file', url: '', index: '', user: '', password: '', file: second } as const;
      const fields = [field(`f${first}`, { newName: `n${second}` })];
      const config = parsedConfig(loadConfig(choices({ name: first, file, destination, fields, trim: false })));
      expect(config.connectors[0].path).toBe(`/${first}`);
      expect(config.jsonl.path).toBe(second);
      expect(config.pipelines[0].stages.at(-1)).toEqual(
        `f${first}` === `n${second}`
          ? { class: 'DeleteFields', fields: ['source', 'filename', 'csvLineNumber'] }
          : { class: 'RenameFields', fieldMapping: { [`f${first}`]: `n${second}` } },
      );
    }),
    { numRuns: 30 },
  );
});

it('a backslash is an ordinary character, unless it escapes a quote inside of a cell', async () => {
  const escapes = async (text: string) => (await detectFile('/f.csv', '', readerOf(text))).settings.escapes;
  expect(await escapes('sku,path\n1,C:\\temp\n')).toBe(false);
  expect(await escapes('sku,path,name\n1,"C:\\temp\\",a\n')).toBe(false);
  expect(await escapes('sku,name\n1,"a \\"big\\" chair"\n')).toBe(true);
  const config = parsedConfig(
    loadConfig(
      choices({
        file: { ...choices().file, escapes: false },
        fields: [field('sku', { type: 'number', pattern: '1.234,5' })],
      }),
    ),
  );
  expect(config.connectors[0]).toMatchObject({ ignoreEscapeChar: true });
  expect(config.pipelines[0].stages.at(-1)).toMatchObject({
    expression: "$number($replace($replace($, '.', ''), ',', '.'))",
  });
});

it('a file that is no text is refused', async () => {
  for (const name of ['\x89PNG', 'PK\x03\x04'])
    await expect(detectFile('/f.csv', '', readerOf(`${name}\n\0\0\rIHDR,b\n`))).rejects.toThrow('The file is no text');
  // A form feed, and the end of a file of DOS.
  expect((await detectFile('/f.csv', '', readerOf('sku,name\n1,a\fb\n\x1a\n'))).fields).toHaveLength(2);
});

it('columns with names of the engine are reported', async () => {
  const { reservedColumns } = await detectFile('/f.csv', '', readerOf('sku,run_id\n1,a\n'));
  expect(reservedColumns).toEqual(['run_id']);
});

it('the first object of a text is found, also if the text ends in another one', () => {
  expect(firstObject('[\n {"a": "}{\\"", "b": {"c": 1}},\n {"a"')).toEqual({ a: '}{"', b: { c: 1 } });
  expect(firstObject('{"a": ')).toEqual({});
  expect(firstObject('a,b')).toEqual({});
});

it('the separator of a CSV file is the one with the most columns', async () => {
  const read = async ({ separatorChar, idField }: Readonly<Record<string, unknown>>): Promise<FirstDocuments> => {
    if (idField !== undefined) throw new Error('no column id');
    const doc: Record<string, string> =
      separatorChar === ';'
        ? { id: 'f-1', '\u0001path': '/f', name: 'a', price: '1,5' }
        : { id: 'f-1', 'name;price': 'a;1,5' };
    return { documents: [doc], failures: [] };
  };
  expect(await detectFile('/f.csv', '', read)).toEqual({
    settings: { path: '/f.csv', format: 'csv', separator: ';', encoding: 'utf-8', escapes: false, idField: '' },
    fields: [
      { name: 'name', values: ['a'] },
      { name: 'price', values: ['1,5'] },
    ],
    failures: [],
    repeatedColumns: [],
    reservedColumns: [],
  });
  await expect(detectFile('/f.csv', '', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});

it('a file with an id and one more column is read with the right separator', async () => {
  const read = readerOf('id\tname\n1\tChair\n');
  const { settings, fields } = await detectFile('/f.csv', '', read);
  expect(settings).toMatchObject({ separator: '\t', idField: 'id' });
  expect(fields).toEqual([
    { name: 'id', values: ['1'] },
    { name: 'name', values: ['Chair'] },
  ]);
});

it('columns with the same name are reported, but not parts of names in quotes', async () => {
  const { repeatedColumns } = await detectFile('/f.csv', '', readerOf('sku,name,"name",price\n1,a,b,2\n'));
  expect(repeatedColumns).toEqual(['name']);
  const other = await detectFile('/f.csv', '', readerOf('sku,"a,b","c,b"\n1,2,3\n'));
  expect(other.repeatedColumns).toEqual([]);
});

/** Reads a text as the connector for CSV files does: without `idField`, it makes ids and skips a column `id`. */
function readerOf(text: string) {
  return async ({ separatorChar, idField, interpretQuotes }: Readonly<Record<string, unknown>>) => {
    const cellsOf = (line: string) => {
      if (interpretQuotes === false) return line.split(separatorChar as string);
      return line
        .split(new RegExp(`\\${separatorChar}(?=(?:[^"]*"[^"]*")*[^"]*$)`))
        .map((cell) => cell.replaceAll('"', ''));
    };
    const [names = [], ...rows] = text.trim().split('\n').map(cellsOf);
    if (idField !== undefined && !names.includes('id')) throw new Error('no column id');
    const documents = rows.map((cells) => {
      const doc = Object.fromEntries(names.map((name, i) => [name, cells[i]]));
      return idField === undefined ? { ...doc, id: 'f-1' } : doc;
    });
    return { documents, failures: [] };
  };
}
