import { Document, readDocument, Type, withDefaults } from '@headrace/engine';
import { JsonLineScanner, JsonValueScanner } from '@headrace/records/json';
import { splitRecords } from '@headrace/records/split';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CollectingPublisher } from '../testing/collecting-publisher.ts';
import { JsonEncoder } from './json-encoder.ts';
import { JsonFormat } from './json-format.ts';
import { checkJsonSettings, type JsonSettings, jsonParameters } from './json-settings.ts';

/** Returns the settings of a config that has these. */
function jsonSettings(given: Partial<JsonSettings> = {}): JsonSettings {
  return { ...withDefaults(Type.Object(jsonParameters)), ...given };
}

async function* pieces(bytes: Uint8Array, size = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function publish(
  text: string | Uint8Array,
  settings: Partial<JsonSettings> = {},
  docIdPrefix = '',
  size?: number,
): Promise<CollectingPublisher> {
  const publisher = new CollectingPublisher();
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const format = new JsonFormat(jsonSettings(settings), {
    docIdPrefix,
    log: publisher.log,
    notices: publisher.notices,
  });
  await format.publish({ path: '/data/in.jsonl', name: 'in.jsonl', bytes: pieces(bytes, size) }, publisher);
  return publisher;
}

async function documents(
  text: string | Uint8Array,
  settings?: Partial<JsonSettings>,
  prefix?: string,
): Promise<string[]> {
  const publisher = await publish(text, settings, prefix);
  expect(publisher.rejected).toEqual([]);
  return publisher.json;
}

describe('JsonFormat with JSON lines', () => {
  it('creates a document of each line and preserves all values', async () => {
    const lines = [
      '{"id":"a","n":1,"f":1.0,"t":"x"}',
      '{"id":"b","nested":{"k":[1,{"z":null}]},"l":[],"o":{}}',
      '{"id":"c","nul":null,"b":true,"f":false,"big":9007199254740993,"neg":-5,"e":1.0E10}',
      '{"10":1,"id":"日本","ключ":"значение","__proto__":"\u{1f600}"}',
    ];
    expect(await documents(`${lines.join('\n')}\n`)).toEqual(lines);
    expect(await documents(`\ufeff${lines.join('\r\n')}`)).toEqual(lines);
    expect(await documents(lines.map((line) => line.replaceAll(/[,:]/g, '$& ')).join('\n\n  \n'))).toEqual(lines);
  });

  it('reads escapes, lone surrogates and bytes that are not UTF-8', async () => {
    expect(await documents('{"id":"a","s":"tab\\t q\\" bs\\\\ sl\\/ u\\u00e9","k\\n":"x\\ud800y"}\n')).toEqual([
      '{"id":"a","s":"tab\\t q\\" bs\\\\ sl/ ué","k\\n":"x\\ud800y"}',
    ]);
    const bytes = Buffer.from('eyJpZCI6ImEiLCJzIjoiY2Fm6SJ9CnsiaWQiOiJiIn0K', 'base64');
    expect(await documents(bytes)).toEqual(['{"id":"a","s":"caf\ufffd"}', '{"id":"b"}']);
  });

  it('uses the last of duplicate keys', async () => {
    expect(await documents('{"id":"d","x":1,"x":2}\n')).toEqual(['{"id":"d","x":2}']);
  });

  it.each([
    ['in every line', '{"id":"a"}{"id":"b"}\n{"id":"c"} {"id":"d"}\n'],
    ['after a line with one', '{"id":"a"}\n{"id":"b"}{"id":"c"},{"id":"d"},\n'],
    ['in arrays', '{"id":"a"}\n[{"id":"b"},{"id":"c"}]\n[[{"id":"d"}],[]]\n'],
    ['between a control character and a line end', '\x1e{"id":"a"}\n\x1e{"id":"b"}\x1e{"id":"c"}\r\n\t{"id":"d"}'],
    ['in one line without a line end', '{"id":"a"}{"id":"b"}{"id":"c"}{"id":"d"}'],
  ])('reads several objects %s', async (_, text) => {
    for (const size of [1, 7, 1000]) {
      const publisher = await publish(text, {}, '', size);
      expect(publisher.rejected).toEqual([]);
      expect(publisher.json).toEqual(['a', 'b', 'c', 'd'].map((id) => `{"id":"${id}"}`));
    }
  });

  it('reports text after an object and what follows a mistake in the line, with line and column', async () => {
    const text = [
      '{"id":"a"} trailing',
      '{"id":"b"}{"id":"c", oops}{"id":"d"};{"id":"e"}',
      '{"id":"f"},"x":{"id":"no"}}',
      '{"id":"g"}{"id":""}{"v":1}{"id":"h"',
      '[{"id":"i"},{"id":"j"},',
      '{"id":"k"}\0\0\0',
      '\0\0',
      '',
    ];
    const { json, rejected } = await publish(text.join('\n'));
    expect(json).toEqual(['a', 'b', 'd', 'f', 'g', 'i', 'j', 'k'].map((id) => `{"id":"${id}"}`));
    expect(rejected.map(({ place, message }) => `${place.replace('/data/in.jsonl:', '')} ${message}`)).toEqual([
      '1:12 this is not an object: the rest of the line was not read',
      expect.stringMatching(/^2:22 Expected a key in double quotes, found "o"/),
      '2:37 this is not an object: the rest of the line was not read',
      '3:12 this is not an object: the rest of the line was not read',
      '4:11 the id is empty',
      '4:20 the object has no id',
      expect.stringMatching(/^4:36 Expected/),
      '5 the line ends inside an array',
      '6:11 this is not an object: the rest of the line was not read',
      expect.stringMatching(/^7:1 Expected a JSON value/),
    ]);
  });

  it('passes run_id and the marks of the engine to the document', async () => {
    const publisher = await publish('{"id":"a","run_id":"r","___skipped":true}\n{"id":"b"}\n');
    expect(publisher.documents.map(({ skipped, runId }) => [skipped, runId])).toEqual([
      [true, 'r'],
      [false, undefined],
    ]);
  });

  it('rejects invalid lines with line and column and continues', async () => {
    const text =
      '{"id":"a"}\n\n{"id":"b", oops}\n[1]\n5\nnot json\n{"id":"c","s":"\t"}\n{"id":"d"\n{"id":"e"}\n{oops\n';
    const publisher = await publish(text);
    expect(publisher.json).toEqual(['{"id":"a"}', '{"id":"e"}']);
    expect(publisher.rejected.map(({ place }) => place)).toEqual([
      '/data/in.jsonl:3:12',
      '/data/in.jsonl:4',
      '/data/in.jsonl:5',
      '/data/in.jsonl:6:1',
      '/data/in.jsonl:7:16',
      '/data/in.jsonl:8:10',
      '/data/in.jsonl:10:2',
    ]);
    expect(publisher.rejected[0]?.message).toContain('Expected a key in double quotes, found "o"');
  });

  it('detects the layout if the first line is invalid', async () => {
    expect((await publish('{oops\n{"id":"b"}\n')).json).toEqual(['{"id":"b"}']);
    expect((await publish('{oops\nnot json\n{"id":"b"}\n')).json).toEqual(['{"id":"b"}']);
    expect((await publish('{"id":"a\n{"id":"b"}\n')).json).toEqual(['{"id":"b"}']);
    expect((await publish('')).json).toEqual([]);
  });

  it('accepts texts and numbers as ids', async () => {
    const publisher = await publish(
      '{"id":"a"}\n{"id":5}\n{"id":1.50}\n{"id":""}\n{"v":1}\n{"id":null}\n{"id":[1]}\n',
      {},
      'p-',
    );
    expect(publisher.documents.map(({ id }) => id)).toEqual(['p-a', 'p-5', 'p-1.5']);
    expect(publisher.rejected).toEqual([
      { place: '/data/in.jsonl:4', message: 'the id is empty' },
      { place: '/data/in.jsonl:5', message: 'the object has no id' },
      { place: '/data/in.jsonl:6', message: 'the object has no id' },
      { place: '/data/in.jsonl:7', message: 'the id is neither a text nor a number' },
    ]);
  });

  it('creates ids from fields, with format and prefix', async () => {
    const text = '{"a":"x","b":2.50}\n{"id":"old","a":true}\n';
    expect(await documents(text, { idFields: ['a', 'b'], docIdFormat: '%s~%s' }, 'P')).toEqual([
      '{"a":"x","b":2.5,"id":"Px~2.5"}',
      '{"id":"Ptrue~","a":true}',
    ]);
    const publisher = await publish('{"v":1}\n{"a":[1]}\n{"a":"k"}\n', { idField: 'a' });
    expect(publisher.json).toEqual(['{"a":"k","id":"k"}']);
    expect(publisher.rejected[0]?.message).toBe('a is empty: there is no id');
    expect((await publish('{"v":1}\n', { idField: 'a' }, 'pp')).json).toEqual(['{"v":1,"id":"pp"}']);
  });

  it('keeps only the fields that whitelist and blacklist allow', async () => {
    const text = '{"id":"1","a":1,"b":2,"c":3}\n';
    expect(await documents(text, { whitelist: ['id', 'a', 'b'], blacklist: ['b'] })).toEqual(['{"id":"1","a":1}']);
    expect(await documents(text, { idField: 'a', blacklist: ['id', 'c'] })).toEqual(['{"a":1,"b":2,"id":"1"}']);
  });

  it('shares the names between similar documents until one changes', async () => {
    const { documents } = await publish('{"id":"1","a":1}\n{"id":"2","a":2}\n{"id":"3","a":3,"b":4}\n{"id":"4"}\n');
    expect(documents[1]?.fieldNames).toBe(documents[0]?.fieldNames);
    documents[0]?.set('x', 1);
    expect(documents.map((document) => document.toJson())).toEqual([
      '{"id":"1","a":1,"x":1}',
      '{"id":"2","a":2}',
      '{"id":"3","a":3,"b":4}',
      '{"id":"4"}',
    ]);
  });
});

describe('JsonFormat with values over several lines', () => {
  it('reads a long array like the lines of its objects, with lines and places', async () => {
    const object = (i: number): string => {
      if (i % 997 === 5) return `{"id":"${i}","x":1,"x":2}`;
      if (i === 1200) return `{"id":"${i}","long":"${'日本'.repeat(30_000)}"}`;
      return `{"id":"${i}","title":"${i % 3 === 0 ? 'ключ' : 'plain'} ${i}","list":[{"a":${i}},{"a":null}]}`;
    };
    const objects = Array.from({ length: 3000 }, (_, i) => object(i));
    const made = await documents(objects.join('\n'));
    expect(made).toHaveLength(3000);
    for (const between of [',', ',\n  ', ' \n\n,']) {
      const array = `[${objects.join(between)}]`;
      expect(await documents(array)).toEqual(made);
      const latin = Buffer.from(array.replaceAll('ключ', '\ufffd'));
      expect(await documents(latin)).toEqual(made.map((json) => json.replace('ключ', '\ufffd')));
    }
    const bad = objects.with(700, '{"no":\n1}').with(2100, '{"id":"2100",\n"n":tru}');
    const { rejected, json } = await publish(`[${bad.join(',\n')}]`);
    expect(json).toEqual(made.filter((_, i) => i !== 700 && i !== 2100));
    expect(rejected).toEqual([
      { place: '/data/in.jsonl:701', message: 'the object has no id' },
      { place: '/data/in.jsonl:2103:5', message: expect.stringContaining('Expected a JSON value') },
    ]);
  });

  const objects = ['{"id":"a","n":{"x":[1,2.0]}}', '{"id":"b","s":"} ] { \\" [,"}', '{"id":"c"}'];
  const pretty = objects.map((text) => JSON.stringify(JSON.parse(text), null, 2));
  const values = objects.map((text) => JSON.parse(text));

  it.each([
    ['an array on one line', `[${objects.join(',')}]`],
    ['an array with an object a line', `[\n${objects.join(',\n')}\n]\n`],
    ['a pretty-printed array', `\ufeff\n[\n${pretty.join(',\n')}\n]`],
    ['pretty-printed objects', pretty.join('\n')],
    [
      'pretty-printed objects, braces on separate lines',
      '{\n"id": "a",\n"n":\n{"x": [1, 2.0]\n}\n}\n{\n"id":"b","s":"} ] { \\" [,"}\n{"id":"c"}',
    ],
    ['pretty-printed objects with CRLF', pretty.join('\n').replaceAll('\n', '\r\n')],
    ['commas first', '{ "id": "a"\n, "n": {"x":[1,2.0]}\n}\n{"id":"b","s":"} ] { \\" [,"}\n{"id":"c"}'],
  ])('reads %s', async (_, text) => {
    for (const size of [1, 5, 1000]) {
      const publisher = await publish(text, {}, '', size);
      expect(publisher.rejected).toEqual([]);
      expect(publisher.json.map((json) => JSON.parse(json))).toEqual(values);
    }
  });

  it('rejects invalid values with line and column and continues', async () => {
    const text =
      '[\n  {"id": "a"},\n  {\n    "id": "b",\n    oops\n  },\n  17,\n  {"id": [}, "text",\n  {"id": "c"}\n]\n';
    const publisher = await publish(text);
    expect(publisher.json).toEqual(['{"id":"a"}', '{"id":"c"}']);
    expect(publisher.rejected.map(({ place }) => place)).toEqual([
      '/data/in.jsonl:5:5',
      '/data/in.jsonl:7',
      '/data/in.jsonl:8:11',
      '/data/in.jsonl:8',
    ]);
  });

  it.each([
    ['in an array', '[\n{"id":"a"},\n{"id":"b"}', 2, '/data/in.jsonl:3: the file ends inside an array'],
    ['in an object', '[{"id":"a"},\n\n{"id":"b"', 1, '/data/in.jsonl:3: a string or an object is opened but never'],
    ['by a quote', '[{"id":"a"},\n{"id":"b},\n{"id":"c"}]', 1, '/data/in.jsonl:2: a string or an object is opened'],
    [
      'in a line',
      '{"id":"a"}\n{"id":"ключ","x',
      1,
      '2: a string or an object is opened but never closed (column 1, byte 11)',
    ],
    ['in its only line', '{"id":"a', 0, '1: a string or an object is opened but never closed (column 1, byte 0)'],
    [
      'in a line with several objects',
      '{"id":"a"}\n {"id":"ключ"}, {"id":"b","x',
      2,
      '2: a string or an object is opened but never closed (column 17, byte 31)',
    ],
    ['in an array of a line', '{"id":"a"}\n[{"id":"b"},\t', 2, '2: the file ends inside an array (column 12, byte 22)'],
    [
      'after a byte-order mark',
      '\ufeff{"id":"a"}\n{"id":"b"',
      1,
      '2: a string or an object is opened but never closed (column 1, byte 14)',
    ],
    [
      'inside one long line',
      '[{"id":"é"},{"id":"b"},  {',
      2,
      '1: a string or an object is opened but never closed (column 26, byte 26)',
    ],
  ])('fails on a file that was cut off %s, after the values before', async (_, text, count, message) => {
    const publisher = new CollectingPublisher();
    const format = new JsonFormat(jsonSettings(), { docIdPrefix: '', log: publisher.log, notices: publisher.notices });
    const file = { path: '/data/in.jsonl', name: 'in.jsonl', bytes: pieces(Buffer.from(text)) };
    const error = await format.publish(file, publisher).catch((error) => error);
    expect(error.code).toBe('HR_SOURCE_INCOMPLETE');
    expect(error.message).toContain(message);
    expect(error.message).toMatch(/: the rest of the file was not read$/);
    expect(publisher.json).toHaveLength(count);
    expect(publisher.rejected).toEqual([]);
  });

  it('finds the same records for any cut of the bytes', async () => {
    const part = fc.constantFrom('{', '}', '"', '\\', '"a"', '{"id":"x"}', '[', ']', ',', '\n', ' ', '17', 'é', ':');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), async (parts, step) => {
        const text = parts.join('');
        const cut = async (size: number, pieceBytes: number) => {
          const ends: string[] = [];
          const scanner = new JsonValueScanner();
          for await (const { bytes, place } of splitRecords(pieces(Buffer.from(text), size), scanner, {
            pieceBytes,
          }) as AsyncIterable<{ bytes: Uint8Array; place: { record: number; line: number } }>) {
            const before = Buffer.from(bytes).toString();
            ends.push(before);
            expect(place.line).toBe(1 + ends.slice(0, -1).join('').split('\n').length - 1);
          }
          expect(ends.join('')).toBe(text);
          return [scanner.records, scanner.finish(), scanner.openArrays];
        };
        expect(await cut(step, step)).toEqual(await cut(1000, 1000));
      }),
      { numRuns: 3 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});

describe('JsonFormat with any file', () => {
  const value = fc.oneof(
    unicodeText(),
    fc.constantFrom('{', '}', '"', '\\', '[', ']', ',', '\n', '}{', '"}', 1, 2.5, null, true),
    fc.array(fc.integer(), { maxLength: 2 }),
    fc.dictionary(fc.string({ maxLength: 2 }), fc.string({ maxLength: 2 }), { maxKeys: 2 }),
  );
  const separator = fc.constantFrom('', ' ', '\n', ',', ', ', ',\n', '\n\n', '\r\n', '\t', '\x1e', ' \n ,');
  const file = fc
    .record({
      values: fc.array(fc.tuple(value, separator), { minLength: 1, maxLength: 6 }),
      indent: fc.constantFrom(0, 0, 2),
      around: fc.constantFrom(['', ''], ['', ''], ['[', ']'], ['\n[\n', '\n]\n']),
    })
    .map(({ values, indent, around: [before, after] }) => {
      let text = before as string;
      const objects = values.map(([v, separator], i) => {
        const start = text.length;
        const json = JSON.stringify({ id: `${i}`, v }, null, indent);
        text += json;
        const end = text.length;
        if (i < values.length - 1) text += separator;
        return { start, end, json: readDocument(json).toJson() };
      });
      return { text: text + after, objects, isArray: after !== '', arrayEnd: text.length + (after?.indexOf(']') ?? 0) };
    });
  const numRuns = 3 * (fc.readConfigureGlobal().numRuns ?? 100);

  it('reads exactly the objects, with anything between them and any cut of the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.integer({ min: 1, max: 40 }), async ({ text, objects }, size) => {
        const { json, rejected } = await publish(text, {}, '', size);
        expect(rejected).toEqual([]);
        expect(json).toEqual(objects.map(({ json }) => json));
      }),
      { numRuns },
    );
  });

  it('fails if the file ends inside an object or an array, after the whole objects', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), fc.integer({ min: 1, max: 40 }), async (whole, at, size) => {
        const cut = at % (whole.text.length + 1);
        const publisher = new CollectingPublisher();
        const format = new JsonFormat(jsonSettings(), {
          docIdPrefix: '',
          log: publisher.log,
          notices: publisher.notices,
        });
        const bytes = pieces(Buffer.from(whole.text.slice(0, cut)), size);
        const error = await format.publish({ path: 'in', name: 'in', bytes }, publisher).catch((error) => error);
        const inObject = whole.objects.some(({ start, end }) => start < cut && cut < end);
        const inArray = whole.isArray && whole.text.slice(0, cut).includes('[') && cut <= whole.arrayEnd;
        expect(error?.code).toBe(inObject || inArray ? 'HR_SOURCE_INCOMPLETE' : undefined);
        expect(publisher.rejected).toEqual([]);
        expect(publisher.json).toEqual(whole.objects.filter(({ end }) => end <= cut).map(({ json }) => json));
      }),
      { numRuns },
    );
  });

  it('finds the same lines, and whether the last one is cut off, for any cut of the bytes', async () => {
    const part = fc.constantFrom('{', '}', '"', '\\', '{"id":"x"}', '[', ']', ',', '\n', '\n', ' ', '17', 'é');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), async (parts, step) => {
        const text = parts.join('');
        const cut = async (pieceBytes: number) => {
          let found = '';
          let end = 'records';
          for await (const part of splitRecords(pieces(Buffer.from(text), pieceBytes), new JsonLineScanner(), {
            pieceBytes,
          })) {
            expect(part.place.byte).toBe(Buffer.byteLength(found));
            if ('bytes' in part) found += Buffer.from(part.bytes).toString();
            end = part.kind;
          }
          expect(found).toBe(text);
          return end;
        };
        const last = new JsonValueScanner();
        const tail = Buffer.from(text.slice(text.lastIndexOf('\n') + 1));
        last.scan(tail, 0, tail.length, false);
        const expected = last.finish() && last.openArrays === 0 ? 'records' : 'unfinished';
        expect([await cut(step), await cut(1000)]).toEqual([expected, expected]);
      }),
      { numRuns },
    );
  });
});

describe('JsonObjectReader', () => {
  const scalar = fc.oneof(
    unicodeText(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  );
  const object = fc.dictionary(
    fc.oneof(fc.constantFrom('a', 'b', 'c', '__proto__', '1'), fc.string({ maxLength: 3 })),
    fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.dictionary(fc.string(), scalar, { maxKeys: 2 })),
    { maxKeys: 5 },
  );

  it('returns the same documents as the general reader, in every layout', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(object, { maxLength: 8 }), fc.integer({ min: 0, max: 2 }), async (objects, space) => {
        const texts = objects.map((members, i) => JSON.stringify({ id: `${i}`, ...members, id2: i }, null, space));
        const found = await publish(texts.join('\n'));
        const expected = texts.filter((text) => typeof JSON.parse(text).id === 'string' && JSON.parse(text).id !== '');
        expect(found.json).toEqual(expected.map((text) => readDocument(text).toJson()));
      }),
      { numRuns: 3 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('rejects the same texts as the general reader', async () => {
    const mutated = fc
      .tuple(object, fc.nat(), fc.constantFrom('', '"', ',', '}', '{', '0', '1', '.', 'e', '\\', '\t', 'é', ' ', 'n'))
      .map(([members, at, text]) => {
        const json = JSON.stringify({ id: 'x', ...members, a: 1, b: 'y' });
        const place = at % json.length;
        return (json.slice(0, place) + text + json.slice(place + 1)).toWellFormed();
      });
    await fc.assert(
      fc.asyncProperty(fc.array(mutated, { minLength: 1, maxLength: 4 }), async (lines) => {
        const read = lines.flatMap((line) => {
          try {
            return [readDocument(line).toJson()];
          } catch {
            return [];
          }
        });
        const found = await publish(`{"id":"first","a":1}\n${lines.join('\n')}\n`);
        const withTextIds = found.json.slice(1).filter((text) => lines.some((line) => readsAs(line, text)));
        expect(withTextIds).toEqual(read);
      }),
      { numRuns: 5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});

/**
 * Returns whether the general reader reads the line as this document. Unlike the fast reader, it accepts no numbers as
 * ids.
 */
function readsAs(line: string, json: string): boolean {
  try {
    return readDocument(line).toJson() === json;
  } catch {
    return false;
  }
}

describe('checkJsonSettings', () => {
  it('reports a filter that omits an id field', () => {
    const problems = (settings: Partial<JsonSettings>) =>
      [...checkJsonSettings(jsonSettings(settings))].map(({ parameter }) => parameter);
    expect(problems({})).toEqual([]);
    expect(problems({ whitelist: ['id', 'a'] })).toEqual([]);
    expect(problems({ whitelist: ['a'] })).toEqual(['whitelist']);
    expect(problems({ blacklist: ['id'] })).toEqual(['blacklist']);
    expect(problems({ idField: 't', blacklist: ['t', 'id'] })).toEqual(['blacklist']);
    expect(problems({ idFields: ['t'], docIdFormat: '%q' })).toEqual(['docIdFormat']);
  });
});

describe('JsonEncoder', () => {
  const document = () => readDocument('{"id":"1","a":1.0,"b":[null,{"c":"\\n"}],"___skipped":true,"run_id":"r"}');

  it('writes a line without the marks of the engine', () => {
    expect(new JsonEncoder({ whitelist: [], blacklist: [] }).encode(document())).toBe(
      '{"id":"1","a":1.0,"b":[null,{"c":"\\n"}],"run_id":"r"}\n',
    );
  });

  it('writes only the fields that whitelist and blacklist allow', () => {
    expect(new JsonEncoder({ whitelist: ['id', 'b', 'a'], blacklist: ['b'] }).encode(document())).toBe(
      '{"id":"1","a":1.0}\n',
    );
    expect(new JsonEncoder({ whitelist: ['x'], blacklist: [] }).encode(Document.create('1'))).toBe('{}\n');
  });
});
