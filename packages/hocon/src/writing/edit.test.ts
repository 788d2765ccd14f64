import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EditError, getPath, parse, setValue, toValue } from '../index.ts';

const text = `# the run
threads = 4 // for each pipeline
indexer {
  type = "CSV" # where to
  csv { path : out.csv, columns = [a, b] }
}
pipelines = [ { name = p1 } ]
`;

describe('setValue', () => {
  it('replaces a value and leaves the rest of the text unchanged', () => {
    expect(setValue(text, 'threads', 8)).toBe(text.replace('4 //', '8 //'));
    expect(setValue(text, 'indexer.type', 'Solr')).toBe(text.replace('"CSV" #', '"Solr" #'));
    expect(setValue(text, 'indexer.csv.path', 'x y')).toBe(text.replace('out.csv', '"x y"'));
    expect(setValue(text, 'indexer.csv', null)).toContain('csv = null\n');
    expect(setValue(text, 'pipelines', [])).toContain('pipelines = []\n');
  });

  it('replaces the last of several definitions', () => {
    expect(setValue('a = 1\na = 2\n', 'a', 3)).toBe('a = 1\na = 3\n');
    expect(setValue('a.b = 1\na { b = 2 }', 'a.b', 3)).toBe('a.b = 1\na { b = 3 }');
  });

  it('adds a field to the innermost object, with the layout of the object', () => {
    expect(setValue(text, 'indexer.batchSize', 10)).toContain('out.csv, columns = [a, b] }\n  batchSize = 10\n}');
    expect(setValue(text, 'indexer.csv.quote', 'x')).toContain('columns = [a, b], quote = "x" }');
    expect(setValue('a {}', 'a.b.c', 1)).toBe('a { b.c = 1 }');
    expect(setValue('o {\n  a = 1, # note\n}', 'o.b', 2)).toBe('o {\n  a = 1, # note\n  b = 2\n}');
  });

  it('adds a field at the end if the text contains no object with braces', () => {
    expect(setValue('', 'a.b', true)).toBe('a.b = true\n');
    expect(setValue('a = 1', 'b', 2)).toBe('a = 1\nb = 2\n');
    expect(setValue('x { y = 1 }\na = ${x}\n', 'a.y', 2)).toBe('x { y = 1 }\na = ${x}\na.y = 2\n');
    expect(setValue('a += 1\n', 'a', [2])).toBe('a += 1\na = [\n  2\n]\n');
    expect(setValue('o { a = 1 }\no.a += 2\n', 'o.a', 3)).toContain('o.a = 3\n');
  });

  it('keeps strict JSON strict', () => {
    expect(setValue('{"a": {"b": 1}}', 'a.c.d', 'x')).toBe('{"a": {"b": 1, "c": {\n  "d": "x"\n}}}');
    expect(setValue('{\n  "a": 1\n}\n', 'b', 2)).toBe('{\n  "a": 1,\n  "b": 2\n}\n');
    expect(setValue('{}', 'a', 1)).toBe('{ "a": 1 }');
  });

  it('works despite other mistakes, but adds nothing to a text with unbalanced brackets', () => {
    expect(setValue('a = *\nb = 1\n', 'b', 2)).toBe('a = *\nb = 2\n');
    expect(setValue('b = 1\na = [1', 'b', 2)).toBe('b = 2\na = [1');
    for (const text of ['a = """unclosed', 'a = [1', 'a = {\n', 'a = 1\n}\n']) {
      expect(() => setValue(text, 'b', 2)).toThrow(EditError);
      expect(() => setValue(text, 'b', 2)).toThrow('b cannot be set: first correct the mistake on line');
    }
  });

  it('reports why a value cannot be set', () => {
    expect(() => setValue('{"a": "x"}', 'a.b', 2)).toThrow('a is the string "x", not an object');
    expect(() => setValue('a = [1]\nb = ${a} [2]\n', 'a', 3)).toThrow(
      'a cannot be set: the new text would have a mistake on line 2: a number cannot be joined with a list',
    );
    expect(() => setValue('', [], 2)).toThrow('the path of the value is empty');
    expect(() => setValue('a = 1', 'a..b', 2)).toThrow('not a path');
    expect(() => setValue('a = 1', 'a', Number.NaN)).toThrow('the value is NaN');
    expect(() => setValue('a = 1', 'a', 2, { overrides: { a: '3' } })).toThrow(
      'a definition in an include or an override would replace it',
    );
    expect(() => setValue('a = 1', 'a', 2, { format: 'properties' })).toThrow('only HOCON and JSON can be edited');
  });

  it('uses the environment and includes of its options', () => {
    const text = 'include "base"\nhome = ${HOME}\nx = ${base.x}\n';
    const include = ({ name }: { name: string }) =>
      name === 'base.conf' ? { file: name, text: 'base { x = 1 }' } : undefined;
    const options = { env: { HOME: '/h' }, include };
    const edited = setValue(text, 'base.x', 2, options);
    expect(edited).toBe(`${text}base.x = 2\n`);
    expect(parse(edited, options).value).toEqual({ base: { x: 2 }, home: '/h', x: 2 });
  });

  it('only changes the value that is then found at the path', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd e', 'include');
    const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer(), { maxLength: 2 }));
    const fields = fc.array(fc.tuple(fc.array(key, { minLength: 1, maxLength: 3 }), value), { maxLength: 5 });
    fc.assert(
      fc.property(fields, fc.array(key, { minLength: 1, maxLength: 3 }), value, (all, path, set) => {
        const before = all.reduce((text, [at, v]) => setValue(text, at, v), '# start\n');
        const after = setValue(before, path, set);
        const found = getPath(parse(after).root, path);
        expect(found && toValue(found)).toEqual(set);
        expect(after.startsWith('# start\n')).toBe(true);
        for (const [at] of all) {
          const related = at.every((name, i) => i >= path.length || name === path[i]);
          if (related) continue;
          expect(getPath(parse(after).root, at)?.kind).toBe(getPath(parse(before).root, at)?.kind);
        }
      }),
    );
  });
});
