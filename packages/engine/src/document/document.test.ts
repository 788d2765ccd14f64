import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDocument, anyName, anyValue } from './any-value.test.lib.ts';
import { Document, type UpdateMode } from './document.ts';
import { writeValue } from './json-writer.ts';
import { readDocument } from './read-document.ts';
import { Shape } from './shape.ts';
import { Double, equalValues, type JsonObject, type Value } from './value.ts';

function documentOf(fields: Record<string, Value>): Document {
  return Document.fromObject(new Map(Object.entries({ id: '1', ...fields })));
}

/** Returns the value of a field as JSON, or undefined if the field is missing. */
function json(document: Document, name: string): string | undefined {
  const value = document.get(name);
  return value === undefined ? undefined : writeValue(value);
}

describe('fields of a document', () => {
  it('keep their order, including names like integers and __proto__', () => {
    const document = Document.create('1');
    for (const name of ['b', '10', '9', '__proto__', 'constructor', 'a.b', 'a']) document.set(name, name);
    document.set('b', 'again');
    expect(document.toJson()).toBe(
      '{"id":"1","b":"again","10":"10","9":"9","__proto__":"__proto__","constructor":"constructor","a.b":"a.b","a":"a"}',
    );
    expect(document.has('toString')).toBe(false);
    expect(document.get('hasOwnProperty')).toBeUndefined();
  });

  it('are present if the value is null or an empty list', () => {
    const document = documentOf({ none: null, empty: [] });
    expect(document.has('none')).toBe(true);
    expect(document.has('empty')).toBe(true);
    expect(document.has('missing')).toBe(false);
    expect([document.length('none'), document.length('empty'), document.length('missing')]).toEqual([1, 0, 0]);
  });

  it('are read as one value, as all values and as strings', () => {
    const document = documentOf({ list: ['a', new Double(1), null], one: 5, none: null, empty: [], object: new Map() });
    expect(document.first('list')).toBe('a');
    expect(document.first('empty')).toBeUndefined();
    expect(document.first('none')).toBeNull();
    expect(document.values('one')).toEqual([5]);
    expect(document.values('missing')).toEqual([]);
    expect(document.texts('list')).toEqual(['a', '1.0', null]);
    expect(document.texts('one')).toEqual(['5']);
    expect(document.text('one')).toBe('5');
    expect(document.text('object')).toBe('');
    expect([document.text('none'), document.text('empty'), document.text('missing')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('behave like an ordered map after any changes, with few or many fields', () => {
    const names = Array.from({ length: 40 }, (_, i) => `field${i}`);
    const change = fc.oneof(
      fc.record({ action: fc.constant('set'), name: fc.constantFrom(...names), value: anyValue }),
      fc.record({ action: fc.constant('remove'), name: fc.constantFrom(...names), value: anyValue }),
      fc.record({ action: fc.constant('move'), name: fc.constantFrom(...names), value: anyValue }),
    );
    fc.assert(
      fc.property(
        anyDocument(),
        fc.array(change, { maxLength: 120, size: 'max' }),
        fc.boolean(),
        (start, changes, shared) => {
          const document = shared ? new Document(start.shape, [...start.fieldValues]) : start.clone();
          const before = start.toJson();
          const model = start.toObject();
          for (const { action, name, value } of changes) {
            if (action === 'set') {
              document.set(name, value);
              model.set(name, value);
            } else if (action === 'remove') {
              document.remove(name);
              model.delete(name);
            } else {
              document.rename(name, name, 'overwrite');
              const moved = model.get(name);
              model.delete(name);
              if (moved !== undefined) model.set(name, moved);
            }
            expect(document.has(name)).toBe(model.has(name));
            expect(document.get(name)).toBe(model.get(name));
          }
          expect(document.fieldNames).toEqual([...model.keys()]);
          expect(document.fieldValues).toEqual([...model.values()]);
          expect(start.toJson()).toBe(before);
        },
      ),
      { numRuns: 1.5 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('share their names between the documents of a source until one document changes', () => {
    const shape = Shape.of(['id', 'a']);
    const first = new Document(shape, ['1', 1]);
    const second = new Document(shape, ['2', 2]);
    first.set('b', 3);
    first.remove('a');
    expect(second.toJson()).toBe('{"id":"2","a":2}');
    expect(first.toJson()).toBe('{"id":"1","b":3}');
    expect(shape.names).toEqual(['id', 'a']);
  });
});

describe('reserved and empty field names', () => {
  const writes: [string, (document: Document, name: string) => void][] = [
    ['set', (document, name) => document.set(name, 1)],
    ['add', (document, name) => document.add(name, 1)],
    ['setOrAdd', (document, name) => document.setOrAdd(name, 1)],
    ['update', (document, name) => document.update(name, 'append', [1])],
    ['update with nothing', (document, name) => document.update(name, 'append', [])],
    ['remove', (document, name) => document.remove(name)],
    ['rename to', (document, name) => document.rename('a', name, 'skip')],
  ];
  for (const [title, write] of writes) {
    it.each(['id', 'run_id', '___children', '___dropped', '___skipped'])(`${title} refuses %s`, (name) => {
      const document = documentOf({ a: 1 });
      expect(() => write(document, name)).toThrow(`${name} is a reserved field`);
      expect(document.toJson()).toBe('{"id":"1","a":1}');
    });

    it(`${title} refuses the empty name`, () => {
      const document = documentOf({ a: 1 });
      expect(() => write(document, '')).toThrow('Field name cannot be null or empty');
      expect(document.toJson()).toBe('{"id":"1","a":1}');
    });
  }

  it('rename refuses to rename a reserved field', () => {
    expect(() => documentOf({}).rename('id', 'a', 'overwrite')).toThrow('id is a reserved field');
  });

  it('names similar to reserved names are allowed', () => {
    const document = Document.create('1');
    for (const name of ['ID', 'ids', 'run', '___child', '_', 'i']) document.set(name, 1);
    expect(document.fieldNames).toHaveLength(7);
  });
});

describe('writing a field', () => {
  it.each<[string, (document: Document) => void, Record<string, string>]>([
    ['add to a missing field', (d) => d.add('f', 'x'), { missing: '["x"]', one: '["a","x"]', list: '["a","b","x"]' }],
    ['setOrAdd', (d) => d.setOrAdd('f', 'x'), { missing: '"x"', one: '["a","x"]', list: '["a","b","x"]' }],
    ['set', (d) => d.set('f', 'x'), { missing: '"x"', one: '"x"', list: '"x"' }],
    ['set a list', (d) => d.set('f', ['x']), { missing: '["x"]', one: '["x"]', list: '["x"]' }],
  ])('appends or replaces the value: %s', (_, write, expected) => {
    const starts: Record<string, Record<string, Value>> = { missing: {}, one: { f: 'a' }, list: { f: ['a', 'b'] } };
    for (const [state, fields] of Object.entries(starts)) {
      const document = documentOf(fields);
      write(document);
      expect(json(document, 'f'), state).toBe(expected[state]);
    }
  });

  it('treats null as a present value', () => {
    const document = documentOf({ f: null });
    document.setOrAdd('f', 'x');
    expect(json(document, 'f')).toBe('[null,"x"]');
  });
});

describe('update', () => {
  const values: Value[][] = [[], ['x'], ['x', 'y'], [['x', 'y']]];
  it.each<[UpdateMode, Value | undefined, (string | undefined)[]]>([
    ['overwrite', undefined, [undefined, '"x"', '["x","y"]', '["x","y"]']],
    ['overwrite', 'a', ['"a"', '"x"', '["x","y"]', '["x","y"]']],
    ['overwrite', ['a'], ['["a"]', '"x"', '["x","y"]', '["x","y"]']],
    ['append', undefined, [undefined, '"x"', '["x","y"]', '["x","y"]']],
    ['append', 'a', ['"a"', '["a","x"]', '["a","x","y"]', '["a",["x","y"]]']],
    ['append', ['a'], ['["a"]', '["a","x"]', '["a","x","y"]', '["a",["x","y"]]']],
    ['append', null, ['null', '[null,"x"]', '[null,"x","y"]', '[null,["x","y"]]']],
    ['skip', undefined, [undefined, '"x"', '["x","y"]', '["x","y"]']],
    ['skip', 'a', ['"a"', '"a"', '"a"', '"a"']],
    ['skip', null, ['null', 'null', 'null', 'null']],
  ])('writes values in mode %s to the present value %o', (mode, present, expected) => {
    const results = values.map((added) => {
      const document = documentOf(present === undefined ? {} : { f: Array.isArray(present) ? [...present] : present });
      document.update('f', mode, structuredClone(added));
      return json(document, 'f');
    });
    expect(results).toEqual(expected);
  });

  it('does not change its arguments', () => {
    const first = ['x'];
    documentOf({}).update('f', 'overwrite', [first, 'y']);
    expect(first).toEqual(['x']);
  });

  it('appends a list to itself only once', () => {
    const document = documentOf({ f: ['a', 'b'] });
    document.update('f', 'append', document.values('f'));
    expect(json(document, 'f')).toBe('["a","b","a","b"]');
  });
});

it.each<[string, (document: Document, wrong: never) => void, unknown, string]>([
  ['a number as name of a field', (d, wrong) => d.set(wrong, 'x'), 5, 'The name of a field is a number, not a text'],
  ['no name of a field', (d, wrong) => d.remove(wrong), undefined, 'The name of a field is undefined, not a text'],
  ['a mode of update', (d, wrong) => d.update('f', wrong, ['x']), 'replace', 'The mode "replace" is not overwrite'],
  ['no mode of update', (d, wrong) => d.update('f', wrong, ['x']), undefined, 'The mode undefined is not overwrite'],
  ['a mode of rename', (d, wrong) => d.rename('f', 'to', wrong), 'replace', 'The mode "replace" is not overwrite'],
  ['a text as values', (d, wrong) => d.update('f', 'append', wrong), 'xyz', 'update() received a string, not a list'],
  ['no values', (d, wrong) => d.update('f', 'append', wrong), undefined, 'update() received undefined, not a list'],
])('refuses %s that its type does not have', (_, write, wrong, message) => {
  const document = documentOf({ f: 'a' });
  expect(() => write(document, wrong as never)).toThrow(
    expect.objectContaining({ code: 'HR_COMPONENT_CONTRACT', message: expect.stringContaining(message) }),
  );
  expect(document.toJson()).toBe('{"id":"1","f":"a"}');
});

describe('rename', () => {
  it.each<[UpdateMode, Value, Value | undefined, string]>([
    ['overwrite', 'a', undefined, '{"id":"1","x":0,"to":"a"}'],
    ['overwrite', ['a'], 'b', '{"id":"1","to":["a"],"x":0}'],
    ['append', 'a', undefined, '{"id":"1","x":0,"to":"a"}'],
    ['append', 'a', 'b', '{"id":"1","to":["b","a"],"x":0}'],
    ['append', ['a', 'c'], ['b'], '{"id":"1","to":["b","a","c"],"x":0}'],
    ['append', [], 'b', '{"id":"1","to":["b"],"x":0}'],
    ['skip', 'a', 'b', '{"id":"1","to":"b","x":0}'],
    ['skip', 'a', undefined, '{"id":"1","x":0,"to":"a"}'],
  ])('in mode %s renames a field with value %o to a field with value %o', (mode, from, to, expected) => {
    const document = documentOf({ from, ...(to === undefined ? {} : { to }), x: 0 });
    document.rename('from', 'to', mode);
    expect(document.toJson()).toBe(expected);
  });

  it('ignores a missing field', () => {
    const document = documentOf({ to: 1 });
    document.rename('from', 'to', 'overwrite');
    document.rename('from', 'id', 'overwrite');
    expect(document.toJson()).toBe('{"id":"1","to":1}');
  });

  it('moves a field to the end if both names are equal', () => {
    const document = documentOf({ a: 1, b: 2 });
    document.rename('a', 'a', 'append');
    expect(document.toJson()).toBe('{"id":"1","b":2,"a":1}');
  });
});

describe('removeDuplicates', () => {
  it('keeps the first occurrence, separates types of numbers, and compares objects by content', () => {
    const ab = () =>
      new Map<string, Value>([
        ['a', 1],
        ['b', new Double(2)],
      ]);
    const document = documentOf({
      f: [1, new Double(1), '1', 1, new Double(1), ab(), new Map([...ab()].reverse()), [1], [1], null, null, true, '1'],
      last: 0,
    });
    document.removeDuplicates('f', undefined);
    expect(document.toJson()).toBe('{"id":"1","last":0,"f":[1,1.0,"1",{"a":1,"b":2.0},[1],null,true]}');
  });

  it('does not move single values, missing fields and lists without duplicates', () => {
    const document = documentOf({ one: 1, list: [1, 2], last: 0 });
    for (const name of ['one', 'list', 'missing']) document.removeDuplicates(name, name);
    expect(document.toJson()).toBe('{"id":"1","one":1,"list":[1,2],"last":0}');
  });

  it('appends copies to another list', () => {
    const inner: JsonObject = new Map([['a', 1]]);
    const document = documentOf({ f: [inner, inner], target: ['x'] });
    document.removeDuplicates('f', 'target');
    document.removeDuplicates('f', 'fresh');
    expect(document.toJson()).toBe('{"id":"1","f":[{"a":1},{"a":1}],"target":["x",{"a":1}],"fresh":[{"a":1}]}');
    (document.values('f')[0] as JsonObject).set('a', 2);
    expect(json(document, 'target')).toBe('["x",{"a":1}]');
    expect(json(document, 'fresh')).toBe('[{"a":1}]');
  });

  it('refuses a reserved target and a target with a single value', () => {
    const document = documentOf({ f: [1, 1], one: 1 });
    expect(() => document.removeDuplicates('f', 'one')).toThrow('Field "one" holds a single value');
    expect(() => document.removeDuplicates('f', 'id')).toThrow('id is a reserved field');
  });
});

describe('setOrAddAll', () => {
  it('merges all fields except reserved ones, and shares no values', () => {
    const one = documentOf({ a: 1, b: ['x'], c: 'c', run_id: 'r1' });
    const other = documentOf({ a: 2, b: ['y', 'z'], c: [], d: new Map([['k', [1]]]), run_id: 'r2', ___dropped: true });
    one.setOrAddAll(other);
    expect(one.toJson()).toBe('{"id":"1","a":[1,2],"b":["x","y","z"],"c":["c"],"run_id":"r1","d":{"k":[1]}}');
    ((other.get('d') as JsonObject).get('k') as Value[]).push(2);
    expect(json(one, 'd')).toBe('{"k":[1]}');
  });
});

describe('the flags dropped and skipped', () => {
  it('are set if the field is present, with any value', () => {
    const document = Document.create('1');
    expect([document.dropped, document.skipped, document.bypassed]).toEqual([false, false, false]);
    document.skip();
    expect([document.dropped, document.skipped, document.bypassed]).toEqual([false, true, true]);
    document.drop();
    expect([document.dropped, document.bypassed]).toEqual([true, true]);
    expect(document.clone().dropped).toBe(true);
    expect(document.toJson()).toBe('{"id":"1","___skipped":true,"___dropped":true}');
    expect(readDocument('{"id":"1","___dropped":false}').dropped).toBe(true);
    expect(readDocument('{"id":"1","___skipped":null}').skipped).toBe(true);
  });

  it('are set if the engine writes them as fields', () => {
    const document = Document.create('1');
    document.put('___skipped', true);
    expect(document.skipped).toBe(true);
    document.delete('___skipped');
    expect(document.skipped).toBe(false);
  });
});

describe('document ids', () => {
  it('are found at every position of the fields', () => {
    const document = readDocument('{"a":1,"id":"x","run_id":"old"}');
    expect([document.id, document.runId]).toEqual(['x', 'old']);
    document.setRunId('new');
    expect(document.toJson()).toBe('{"a":1,"id":"x","run_id":"new"}');
    expect(Document.create('1').runId).toBeUndefined();
  });
});

describe('children of a document', () => {
  it('are stored in their parent as copies, and returned as copies', () => {
    const parent = Document.create('p');
    const child = documentOf({ list: [1] });
    parent.addChild(child);
    parent.addChild(Document.create('2'));
    (child.get('list') as Value[]).push(2);
    expect(parent.toJson()).toBe('{"id":"p","___children":[{"id":"1","list":[1]},{"id":"2"}]}');
    const [first] = parent.children() as [Document];
    (first.get('list') as Value[]).push(3);
    expect(parent.children().map((document) => document.toJson())).toEqual(['{"id":"1","list":[1]}', '{"id":"2"}']);
    parent.removeChildren();
    expect(parent.toJson()).toBe('{"id":"p"}');
    expect(parent.children()).toEqual([]);
  });

  it('are passed to a callback if they have no valid id', () => {
    const parent = readDocument('{"id":"p","___children":[{"id":""},5,{"id":"c"},{"id":7}]}');
    const invalid: Value[] = [];
    expect(parent.children((child) => invalid.push(child)).map((child) => child.id)).toEqual(['c']);
    expect(invalid).toHaveLength(3);
  });
});

describe('copies of a document', () => {
  it('are equal to the original and share no mutable values with it', () => {
    fc.assert(
      fc.property(anyDocument(), anyName, (document, name) => {
        const before = document.toJson();
        const copy = document.clone();
        expect(copy.toJson()).toBe(before);
        expect(equalValues(copy.toObject(), document.toObject())).toBe(true);
        for (const value of copy.fieldValues) spoil(value);
        copy.set(name, 'changed');
        const object = document.toObject();
        for (const value of object.values()) spoil(value);
        expect(document.toJson()).toBe(before);
      }),
    );
  });
});

/** Changes every mutable part of a value. */
function spoil(value: Value): void {
  if (Array.isArray(value)) {
    value.forEach(spoil);
    value.push('spoilt');
  } else if (value instanceof Map) {
    value.forEach(spoil);
    value.set('spoilt', true);
  } else if (value instanceof Uint8Array) value.fill(7);
}
