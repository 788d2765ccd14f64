import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DocumentTable, NotTabular } from './document-table.ts';
import { LazyColumn } from './lazy-column.ts';
import { SourceText } from './source-text.ts';

const name = fc.integer({ min: 0, max: 450 }).map((i) => `f${i}`);
const change = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), name, value: fc.integer() }),
  fc.record({ kind: fc.constant('remove' as const), name }),
  fc.record({ kind: fc.constant('rename' as const), name, to: name }),
);

it('a table finds every field after any change, with few or many fields', () => {
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 20, 395, 420), fc.array(change, { maxLength: 60 }), (fields, changes) => {
      const names = ['id', ...Array.from({ length: fields }, (_, i) => `f${i}`)];
      const table = new DocumentTable(
        names,
        names.map((each, i) => (i % 2 === 0 ? [each] : new LazyColumn(() => [each]))),
        1,
      );
      const expected = new Map<string, unknown>(names.map((each) => [each, each]));
      for (const step of changes) {
        if (step.kind === 'set') {
          table.set(step.name, [step.value], false);
          expected.set(step.name, step.value);
        } else if (step.kind === 'remove') {
          table.remove(step.name);
          expected.delete(step.name);
        } else if (step.name !== step.to && !expected.has(step.to) && expected.has(step.name)) {
          const value = expected.get(step.name);
          table.rename(step.name, step.to);
          expected.delete(step.name);
          expected.set(step.to, value);
        }
        expect(table.has(step.name)).toBe(expected.has(step.name));
      }
      expect(table.names).toEqual([...expected.keys()]);
      for (const [each, value] of expected) expect(table.column(each)).toEqual([value]);
    }),
  );
});

it('a table with gaps returns documents with the present fields only, in order', () => {
  const rows = fc.array(fc.array(fc.boolean(), { minLength: 70, maxLength: 70 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.constantFrom(1, 29, 30, 31, 70), rows, (fields, present) => {
      const names = ['id', ...Array.from({ length: fields }, (_, i) => `f${i}`)];
      const cell = (row: number, at: number) => (at > 0 && present[row]?.[at - 1] ? `${row} ${at}` : undefined);
      const columns = names.map((_, at) => present.map((_row, row) => (at === 0 ? `id${row}` : cell(row, at))));
      const table = new DocumentTable(names, columns, present.length, [false, ...new Array(fields).fill(true)]);
      for (const row of present.keys()) {
        const expected: [string, unknown][] = names.map((name, at) => [name, columns[at]?.[row]]);
        const { fieldNames, fieldValues } = table.document(row);
        expect(fieldNames.map((name, i) => [name, fieldValues[i]])).toEqual(
          expected.filter(([, value]) => value !== undefined),
        );
      }
    }),
  );
});

it('makes a lazy column once, and only if it is read', () => {
  const made: string[] = [];
  const lazy = (name: string, values: string[]) =>
    new LazyColumn(() => {
      made.push(name);
      return values;
    });
  const columns = [['1', '2'], lazy('a', ['x', 'y']), lazy('b', ['u', 'v']), lazy('c', ['p', 'q'])];
  const table = new DocumentTable(['id', 'a', 'b', 'c'], columns, 2);
  table.remove('b');
  table.rename('a', 'd');
  const selected = table.select([1]);
  expect(made).toEqual([]);
  expect(selected.column('d')).toEqual(['y']);
  expect(table.column('d')).toEqual(['x', 'y']);
  expect(made).toEqual(['a']);
  expect(table.document(0).toJson()).toBe('{"id":"1","c":"p","d":"x"}');
});

it('knows the source of a lazy column after selections, renames and removed values, but not after changes', () => {
  const made: string[] = [];
  const source = new SourceText('1,x,u\n2,y,v\n3,z,w\n', []);
  const lazy = (name: string, ...values: string[]) =>
    new LazyColumn(() => {
      made.push(name);
      return values;
    }, source);
  const names = ['id', 'a', 'b', 'c'];
  const columns = [
    lazy('id', '1', '2', '3'),
    lazy('a', 'x', 'y', 'z'),
    lazy('b', 'u', 'v', 'w'),
    lazy('c', '', '', ''),
  ];
  const table = new DocumentTable(names, columns, 3);
  const some = table.select([1, 2]);
  const last = some.select([1]);
  last.rename('c', 'd');
  expect(last.isPlain('d')).toBe(true);
  expect(made).toEqual([]);
  expect(last.column('a')).toEqual(['z']);
  last.thin('a', [undefined]);
  last.set('b', ['"'], false);
  some.merge(last);
  table.merge(some);
  expect(names.map((name) => table.isPlain(name))).toEqual([true, true, false, true]);
  expect(table.isPlain('d')).toBe(false);
  expect([0, 1, 2].map((row) => table.document(row).toJson())).toEqual([
    '{"id":"1","a":"x","b":"u","c":""}',
    '{"id":"2","a":"y","b":"v","c":""}',
    '{"id":"3","b":"\\"","d":""}',
  ]);
  expect(made.toSorted()).toEqual(['a', 'b', 'c', 'id']);
});

it('throws if a constant fills gaps of a field that is not the last one', () => {
  const table = new DocumentTable(
    ['id', 'a', 'b'],
    [
      ['1', '2'],
      ['x', undefined],
      ['u', 'v'],
    ],
    2,
    [false, true, false],
  );
  const complete = table.select([0]);
  complete.fill('a', 'y');
  expect(complete.column('a')).toEqual(['y']);
  expect(() => table.fill('a', 'y')).toThrow(NotTabular);
});

it('a column needs one value for each document', () => {
  const table = new DocumentTable(['id'], [['a', 'b']], 2);
  for (const column of [['x'], ['x', 'y', 'z'], undefined, 'xy']) {
    const broken = expect.objectContaining({ code: 'HR_COMPONENT_CONTRACT' });
    expect(() => table.set('n', column as never, false)).toThrow(broken);
    expect(() => new DocumentTable(['id', 'n'], [['a', 'b'], column as never], 2)).toThrow(broken);
  }
  expect(table.names).toEqual(['id']);
});
