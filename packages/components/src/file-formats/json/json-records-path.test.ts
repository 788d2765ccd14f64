import { Type, withDefaults } from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { JsonFormat } from './json-format.ts';
import { checkJsonSettings, type JsonSettings, jsonParameters } from './json-settings.ts';

type Given = Partial<JsonSettings>;

const settingsOf = (given: Given): JsonSettings => ({ ...withDefaults(Type.Object(jsonParameters)), ...given });

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function publish(text: string, given: Given, size = 1 << 20): Promise<CollectingPublisher & { error?: Error }> {
  const publisher = new CollectingPublisher();
  const format = new JsonFormat(settingsOf(given), { ...publisher, docIdPrefix: '' });
  const error = await format.publish({ path: 'in.json', name: 'in.json', bytes: pieces(text, size) }, publisher).then(
    () => undefined,
    (error: Error) => error,
  );
  return Object.assign(publisher, error === undefined ? {} : { error });
}

/** Returns what is read, the same for pieces of any size: the documents, and the places of bad records. */
async function read(text: string, given: Given): Promise<{ json: string[]; rejected: string[] }> {
  const of = async (size: number) => {
    const { json, rejected, error } = await publish(text, given, size);
    if (error !== undefined) throw error;
    return { json, rejected: rejected.map(({ place, message }) => `${place} ${message}`) };
  };
  const whole = await of(1 << 20);
  for (const size of [1, 2, 3, 7]) expect(await of(size)).toEqual(whole);
  return whole;
}

const GEO = `{ "type": "FeatureCollection", "crs": { "features": [{"id": "no"}], "s": "\\"}]{" },
  "features": [
    { "id": "1", "geometry": { "coordinates": [1.0, 2] } },
    { "id": "2", "note": "a ]} \\\\" }
  ], "after": [{"id": "no"}, "x"], "n": 1 }`;
const TWO = ['{"id":"1","geometry":{"coordinates":[1.0,2]}}', '{"id":"2","note":"a ]} \\\\"}'];

describe('recordsPath', () => {
  it.each(['$.features[*]', '$.features', 'features', 'features[*]', "$['features'][*]", '$.*.id[*]'])(
    'reads the features of GeoJSON: %s',
    async (recordsPath) => {
      if (recordsPath === '$.*.id[*]') {
        expect((await publish(GEO, { recordsPath })).error?.message).toContain('leads to nothing');
        return;
      }
      expect(await read(GEO, { recordsPath })).toEqual({ json: TWO, rejected: [] });
    },
  );

  it('follows names, indexes and wildcards through objects and arrays', async () => {
    const text = '{"pages":[{"items":[{"id":"1"}],"x":[]},{"items":[]},{"items":[{"id":"2"},{"id":"3"}]}]}';
    const ids = async (recordsPath: string) =>
      (await read(text, { recordsPath })).json.map((line) => JSON.parse(line).id);
    expect(await ids('$.pages[*].items[*]')).toEqual(['1', '2', '3']);
    expect(await ids('$.pages[2].items[*]')).toEqual(['2', '3']);
    expect(await ids('$.pages[0,2].items[0]')).toEqual(['1', '2']);
    expect((await read('{"a":{"x":{"id":"1"},"y":{"id":"2"}}}', { recordsPath: '$.a.*' })).json).toHaveLength(2);
    expect((await read('[{"id":"1"},{"id":"2"}]', { recordsPath: '$[*]' })).json).toHaveLength(2);
    expect((await read('{"data":{"id":"1"}}', { recordsPath: '$.data' })).json).toEqual(['{"id":"1"}']);
    expect((await read('{"a\\u0062":{"id":"1"}}', { recordsPath: '$.ab' })).json).toEqual(['{"id":"1"}']);
  });

  it('follows the path in each line of JSON Lines', async () => {
    const text = '{"Records":[{"id":"1"}]}\n{"Records":[{"id":"2"}]}\n{"other":1}\n';
    const publisher = await publish(text, { recordsPath: '$.Records[*]' });
    expect(publisher.documents.map(({ id }) => id)).toEqual(['1', '2']);
    expect(publisher.collector.list()).toMatchObject([{ code: 'json.noRecords', class: 'suspect', count: 1 }]);
  });

  it('reports records that are not objects with their place', async () => {
    const text = '{"n": 1,\n "items": [\n  {"id":"1"}, 5, "a",\n  null, [{"id":"no"},\n{"id":"no"}], {"id":"2"}]}';
    const { json, rejected } = await read(text, { recordsPath: '$.items[*]' });
    expect(json).toEqual(['{"id":"1"}', '{"id":"2"}']);
    expect(rejected.map((text) => text.split(' ')[0])).toEqual(['in.json:3', 'in.json:3', 'in.json:4', 'in.json:4']);
    expect(new Set(rejected.map((text) => text.slice(text.indexOf(' '))))).toEqual(
      new Set([' a document must be a JSON object']),
    );
  });

  it('names exact places of bad records', async () => {
    const text = `{"meta": {"a": [1,\n2]},\n"items": [{"id":"1"},\n  {"id":"2", "v": tru},\n{"v":1}]}`;
    const { rejected } = await read(text, { recordsPath: '$.items[*]' });
    expect(rejected.map((place) => place.split(' ')[0])).toEqual(['in.json:4:19', 'in.json:5']);
  });

  it('fails for a path that leads to nothing, with the keys that exist', async () => {
    const failure = async (text: string, recordsPath: string) => {
      const { error } = await publish(text, { recordsPath });
      return [error?.message, (error as { hint?: string } | undefined)?.hint];
    };
    expect(await failure('{"data":{"items":[],"total":0}}', '$.data.itens[*]')).toEqual([
      'in.json: recordsPath $.data.itens[*] leads to nothing',
      'Did you mean items? The keys at $.data are: items, total.',
    ]);
    expect(await failure('{"results":[]}', '$.data.items[*]')).toEqual([
      'in.json: recordsPath $.data.items[*] leads to nothing',
      'The keys at $ are: results.',
    ]);
    expect(await failure('[{"id":"1"}]', '$.data')).toEqual([
      'in.json: recordsPath $.data leads to nothing',
      'At $ there is no object or array that fits the next step of the path.',
    ]);
    expect(await failure('', '$.data')).toMatchObject([expect.anything(), 'The file has no JSON value.']);
    expect((await publish('{"items":[]}', { recordsPath: '$.items[*]' })).error).toBeUndefined();
  });

  it('fails for a file that ends too early, after the records before the end', async () => {
    for (const [text, count] of [
      ['{"items":[{"id":"1"},{"id":"2"', 1],
      ['{"items":[{"id":"1"},{"id":"2"}', 2],
      ['{"items":[{"id":"1"}], "x": [1, "a', 1],
      ['{"items":[{"id":"1"}]', 1],
    ] as const) {
      const { documents, error } = await publish(text, { recordsPath: '$.items[*]' });
      expect([documents.length, (error as { code?: string } | undefined)?.code]).toEqual([
        count,
        'HR_SOURCE_INCOMPLETE',
      ]);
    }
  });

  it('needs no memory for what is not a record', async () => {
    async function* long(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"skipped": [');
      for (let i = 0; i < 80; i++) yield Buffer.from('{"a":"b"},\n'.repeat(100_000));
      yield Buffer.from('0], "items": [{"id":"1"}]}');
    }
    const publisher = new CollectingPublisher();
    const format = new JsonFormat(settingsOf({ recordsPath: '$.items' }), { ...publisher, docIdPrefix: '' });
    // The splitter keeps at most 64 MiB, and refuses longer records.
    await format.publish({ path: 'in.json', name: 'in.json', bytes: long() }, publisher);
    expect([publisher.json, publisher.rejected]).toEqual([['{"id":"1"}'], []]);
  });

  it('finds the same records as a parser, for any JSON text', async () => {
    const record = fc
      .dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
      .map((fields) => ({ ...fields, id: 'x' }));
    const other = fc.jsonValue({ maxDepth: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(record, { maxLength: 3 }), other), { maxLength: 4 }),
        other,
        fc.constantFrom(undefined, 1),
        fc.integer({ min: 1, max: 20 }),
        async (pages, extra, indent, size) => {
          const value = { extra, pages: pages.map(([items, other]) => ({ other, items, last: other })), end: extra };
          const text = JSON.stringify(value, undefined, indent);
          const { documents, rejected } = await publish(text, { recordsPath: '$.pages[*].items[*]' }, size);
          expect(rejected).toEqual([]);
          expect(documents.map((document) => document.toJson())).toEqual(
            (await publish(pages.flatMap(([items]) => items.map((item) => JSON.stringify(item))).join('\n'), {})).json,
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is checked', () => {
    const problems = (given: Given) => [...checkJsonSettings(settingsOf(given))].map(({ message }) => message);
    expect(problems({ recordsPath: '$.a[*]' })).toEqual([]);
    expect(problems({ recordsPath: '$..a' })[0]).toContain('Only names, indexes from 0 and [*] are possible');
    for (const recordsPath of ['', '$.a[?(@.b)]', '$.a[-1]', '$.a.length()', '$.a[']) {
      expect(problems({ recordsPath })).toEqual([expect.stringContaining('recordsPath cannot be used')]);
    }
  });
});

describe('nonFinite', () => {
  const text = '{"id":"1","a":NaN,"b":[1,-Infinity,{"c":Infinity}],"d":"NaN"}\n{"id":"2","a":1}\n{"id":"3","a":NaN';

  it('makes NaN and Infinity null, and counts them', async () => {
    const publisher = await publish(`${text}}\n{"id":"4","a":NaN,}\n`, { nonFinite: 'null' });
    expect(publisher.json).toEqual([
      '{"id":"1","a":null,"b":[1,null,{"c":null}],"d":"NaN"}',
      '{"id":"2","a":1}',
      '{"id":"3","a":null}',
    ]);
    expect(publisher.rejected).toHaveLength(1);
    const [notice] = publisher.collector.list();
    expect(notice).toMatchObject({ code: 'json.nonFinite', class: 'changed', count: 4 });
    expect(notice?.examples.map(({ line, value }) => [line, value])).toEqual([
      [1, 'NaN'],
      [1, '-Infinity'],
      [1, 'Infinity'],
      [3, 'NaN'],
    ]);
    const list = `[${'NaN,'.repeat(100)}1]`;
    const long = await publish(`{"id":"1","v":${list}}`, { nonFinite: 'null' });
    expect(JSON.parse(long.json[0] as string).v).toHaveLength(101);
  });

  it('fails records with NaN by default', async () => {
    const { documents, rejected } = await publish(`${text}}\n`, {});
    expect([documents.map(({ id }) => id), rejected.map(({ place }) => place)]).toEqual([
      ['2'],
      ['in.json:1:15', 'in.json:3:15'],
    ]);
  });
});
