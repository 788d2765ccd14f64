import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlainValue } from '../index.ts';
import { parse } from '../index.ts';

const json = (text: string, options = {}) => JSON.parse(JSON.stringify(parse(text, options).value));
const codes = (text: string, options = {}) =>
  parse(text, options).problems.map(({ code, line, column }) => `${code} ${line}:${column}`);

describe('recovery after a mistake', () => {
  it('reports a problem for each mistake and keeps the values around it', () => {
    const text = 'a = 1\nb = *\nc = [1, , 2]\nd {\n  e = 5 = 6\n  f = 7\n}\n.g = 8\nh = ${}\ni = 9';
    expect(codes(text)).toEqual([
      'reserved-character 2:5',
      'missing-value 3:9',
      'unexpected-token 5:9',
      'bad-key 8:1',
      'bad-path 9:5',
    ]);
    expect(json(text)).toEqual({ a: 1, c: [1, 2], d: { f: 7 }, i: 9 });
  });

  it('continues after wrong strings, brackets and escapes', () => {
    const text = 'a = "x\nb = 1\nc = [1, 2\nd = 2';
    expect(codes(text)).toEqual(['control-character 1:5', 'unclosed-bracket 3:5']);
    expect(json('a = "x\\q = [ {", b = 1')).toEqual({ b: 1 });
    expect(json('a = ]\nb = 1\n}\nc = 2')).toEqual({ b: 1, c: 2 });
    expect(codes('a = ]\nb = 1\n}\nc = 2')).toEqual(['missing-value 1:5', 'unexpected-close 3:1']);
    expect(json('a { b = [1, 2 }\nc = 3')).toEqual({ a: { b: [1, 2] }, c: 3 });
  });

  it('adds a hint to the problem at the probable mistake', () => {
    const hints = (text: string, options = {}) => parse(text, options).problems.map(({ hint }) => hint);
    expect(hints('path = C:/dir')[0]).toContain('if the : belongs to it');
    expect(hints('a = b c = d')[0]).toContain('if the = belongs to it');
    expect(hints('a {} b {}')[0]).toContain('a comma or a line break');
    expect(hints('{"a": 1 "b": 2}', { format: 'json' })[0]).toBe('separate fields and elements with a comma');
    expect(hints('l = [1, 2\nb = 3')[0]).toContain('close it with ] before');
    expect(hints('l = [a = 2]')[0]).toContain('close the list with ]');
    expect(hints('a =\n')[0]).toContain('write ""');
  });

  it('does not report errors that are caused by an earlier mistake', () => {
    expect(codes('a = [1, 2}\nb = 3')).toEqual(['unexpected-close 1:10']);
    expect(json('a = [1, 2}\nb = 3')).toEqual({ a: [1, 2], b: 3 });
    expect(json('word\nb = 3')).toEqual({ b: 3 });
    expect(codes('a = [1] { x = 2 } [3] 4 5')).toEqual(['cannot-concatenate 1:5']);
    expect(codes('x = ${nope}\na = ${x.y}\nb = ${x.z} ${x}')).toEqual(['undefined-substitution 1:5']);
  });

  it('ends a list before the next field, so that no later field is lost', () => {
    const fields = Array.from({ length: 200 }, (_, i) => `k${i} = v${i}`).join('\n');
    for (const [first, code] of [
      ['l = [1', 'unclosed-bracket 2:4'],
      ['l = [{ a = [1', 'unclosed-bracket 2:4'],
      ['o {\n  a = 1', 'unclosed-bracket 202:12'],
      ['s = ${x', 'unclosed-substitution 1:5'],
      ['s = "x', 'control-character 1:5'],
      ['s = """x', 'unclosed-string 201:12'],
      ['l = ["x]', 'control-character 1:6'],
      ['x =', 'missing-value 2:4'],
    ] as const) {
      const text = `${first}\n${fields}`;
      expect(codes(text)[0]).toBe(code);
      expect(codes(text)).toHaveLength(first.split(/[[{](?!")/).length - 1 || 1);
      expect(json(text)).toMatchObject({ k0: 'v0', k199: 'v199' });
    }
  });

  it('uses the indentation if the brackets alone are ambiguous', () => {
    expect(json('o {\n  p {\n    x = 1\n}\nq = 2')).toEqual({ o: { p: { x: 1 } }, q: 2 });
    expect(codes('o {\n  p {\n    x = 1\n}\nq = *')).toEqual(['reserved-character 5:5', 'unclosed-bracket 2:5']);
    expect(json('o {\n  p {\n  }\n  }\n  q = 2\n}\nr = 3')).toEqual({ o: { p: {}, q: 2 }, r: 3 });
    expect(json('a = [\n  { b = [1 }\n  { c = 2 }\n]\nd = 3')).toEqual({ a: [{ b: [1] }, { c: 2 }], d: 3 });
  });

  it('reads text after the end of the config', () => {
    expect(json('{ a = 1 }\nb = 2')).toEqual({ a: 1, b: 2 });
    expect(json('{\n  a {\n    b = 1\n  }\n  }\n  c = 2\n}')).toEqual({ a: { b: 1 }, c: 2 });
  });

  it('reads JSON with a missing comma as if the comma existed', () => {
    const text = '{"a": [1 2], "b": 3 "c": 4, "d": [5, "e": 6}';
    expect(json(text, { format: 'json' })).toEqual({ a: [1, 2], b: 3, c: 4, d: [5], e: 6 });
    expect(codes(text, { format: 'json' })).toEqual(['not-json 1:10', 'not-json 1:21', 'unclosed-bracket 1:34']);
  });

  it('reports where the reference stops if a substitution includes brackets', () => {
    const { value, problems } = parse('o {\n  a = ${b\n  c = 1\n}\nd = 2');
    expect(value).toEqual({ o: { c: 1 }, d: 2 });
    expect(problems.map(({ kind, line }) => [kind, line])).toEqual([
      ['Parse', 5],
      ['BadPath', 2],
    ]);
    expect(problems[0]?.message).toContain('the substitution on line 2 ends too late');
  });

  it('recovers an included text with mistakes, and reads it only once', () => {
    let asked = 0;
    const include = ({ name }: { name: string }) => {
      asked++;
      return { file: name, text: name === 'a.conf' ? 'include "b.conf"\nx = [1\ny = 2' : 'z = [3\nw = 4' };
    };
    const { value, problems } = parse('include "a.conf"\nl = [5\nm = 6', { include });
    expect(value).toEqual({ z: [3], w: 4, x: [1], y: 2, l: [5], m: 6 });
    expect(problems.map(({ file, line }) => [file, line])).toEqual([
      [undefined, 3],
      ['a.conf', 3],
      ['b.conf', 2],
    ]);
    expect(asked).toBe(2);
  });
});

describe('a config text with mistakes', () => {
  /** Mistakes on separate lines. `${i}` makes them unique. */
  const slips = [
    ...['bad = *', 'bad =', 'bad = "x', 'bad = 1 = 2', '.bad = 1', 'bad = "\\q"', 'bad = [1,,2]', 'bad word'],
    ...['include foo("x")', '${x} = 1', 'bad = a + b', 'bad = ${}', 'bad = [1] { x = 1 }', 'bad = ${nope}'],
    ...['bad = 1,,', 'bad = [a = 1, b = 2]', 'bad {x = 1} {y = 2} z', 'bad = \\'],
    ...['bad = ${x', 'bad = ${', 'bad = ${?x.y', 'bad = [${x, 2]'],
  ];
  /** Mistakes with a missing or an extra closing bracket. */
  const gaps = [
    ...['bad = [1, 2', 'bad = [\n1\n2', 'bad {\n  y = 1', 'bad { y = 1', 'bad = [1, 2}', 'bad = [{ a = 1, b = [2 }]'],
    ...['}', ']', 'bad = { a = [1, { b = 2 ]', 'bad = ["x]', 'bad { y = "x }'],
  ];
  const fields = ['1', '"text"', 'two words', '[1, 2]', '{ a = 1 }', '"""x"""', '[\n  1\n  { a = 2 }\n]', '${?none}x'];

  interface Part {
    mistake: string | undefined;
    values: string[];
    nested: Part[];
  }
  const partOf = (nested: fc.Arbitrary<Part[]>): fc.Arbitrary<Part> =>
    fc.record({
      mistake: fc.option(fc.constantFrom(...slips), { nil: undefined, freq: 2 }),
      values: fc.array(fc.constantFrom(...fields), { minLength: 2, maxLength: 3 }),
      nested,
    });
  const none = fc.constant<Part[]>([]);
  const inner = fc.array(partOf(none), { maxLength: 2 });
  const part = partOf(fc.array(partOf(inner), { maxLength: 2 }));

  /** Writes parts as a config, with a distance between the mistakes. */
  class Writer {
    readonly lines: string[] = [];
    readonly paths: string[][] = [];
    mistakes = 0;
    #next = 0;

    write(part: Part, path: string[]): void {
      const add = (text: string) => {
        for (const line of text.split('\n')) this.lines.push('  '.repeat(path.length) + line);
      };
      if (part.mistake !== undefined) {
        add(part.mistake.replace('bad', `bad${this.mistakes++}`));
      }
      for (const value of part.values) {
        const key = `k${this.#next++}`;
        add(`${key} = ${value}`);
        this.paths.push([...path, key]);
      }
      for (const inner of part.nested) {
        const key = `k${this.#next++}`;
        add(`${key} {`);
        this.write(inner, [...path, key]);
        add('}');
      }
    }
  }

  it('has a problem for each mistake, and all other fields have their values', () => {
    const parts = fc.array(part, { minLength: 1, maxLength: 5 });
    const gap = fc.option(fc.record({ at: fc.nat(4), mistake: fc.constantFrom(...gaps) }), { nil: undefined });
    fc.assert(
      fc.property(parts, gap, (all, inserted) => {
        const writer = new Writer();
        all.forEach((part, i) => {
          const isHere = inserted !== undefined && i === inserted.at % all.length;
          writer.write(isHere ? { ...part, mistake: inserted.mistake } : part, []);
        });
        const text = [...writer.lines, 'end = 1'].join('\n');
        const { value, problems } = parse(text);
        const at = (path: string[]) =>
          path.reduce<PlainValue | undefined>((v, key) => (v as Record<string, PlainValue> | undefined)?.[key], value);
        expect(problems.length).toBeGreaterThanOrEqual(writer.mistakes);
        // There is at most one more problem: the one at which the reference would have stopped.
        expect(problems.length).toBeLessThanOrEqual(writer.mistakes + extra(text));
        for (const path of writer.paths) expect(at(path), path.join('.')).toBeDefined();
        expect(value['end']).toBe(1);
      }),
      { numRuns: process.env['CI'] === undefined ? 100 : 300 },
    );
  });

  /** Returns the number of additional problems, for several missing brackets in a line or brackets in a substitution. */
  function extra(text: string): number {
    return (/\$\{[^}\n]*$/m.test(text) ? 1 : 0) + (text.includes('b = [2 }]') || text.includes('b = 2 ]') ? 2 : 0);
  }
});
