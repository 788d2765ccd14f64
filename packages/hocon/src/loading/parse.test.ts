import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlainValue } from '../index.ts';
import { Float, fromValue, getPath, parse, render, toValue } from '../index.ts';

/** Returns the plain value of a text as JSON, with Float objects replaced by numbers. */
const json = (text: string, options = {}) => JSON.parse(JSON.stringify(parse(text, options).value));
const codes = (text: string, options = {}) =>
  parse(text, options).problems.map(({ code, line, column }) => `${code} ${line}:${column}`);

describe('the tree', () => {
  it('keeps the position of every key and value', () => {
    const { root } = parse('a = 1\nb {\n  c : [x, "y"]\n}', { file: 'x.conf' });
    expect(root.keys.get('b')).toEqual({ file: 'x.conf', line: 2, column: 1 });
    expect(getPath(root, 'b.c')).toMatchObject({ kind: 'list', origin: { line: 3, column: 7 } });
    expect(getPath(root, 'b.c')).toMatchObject({ items: [{ origin: { column: 8 } }, { origin: { column: 11 } }] });
  });

  it('keeps origins through merges, substitutions and overrides', () => {
    const text = 'base { v = 1 }\njob = ${base} {\n  w = 2\n}\njob.x = 3';
    const { root } = parse(text, { overrides: { 'job.y': 'z' } });
    const job = getPath(root, 'job');
    expect(job?.kind === 'object' && [...job.keys].map(([key, { line }]) => [key, line]).sort()).toEqual([
      ['v', 1],
      ['w', 3],
      ['x', 5],
      ['y', 1],
    ]);
    expect(getPath(root, 'job.y')?.origin.file).toBe('overrides');
  });

  it('uses the position of the concatenation for a concatenated value', () => {
    const { root } = parse('a { x = 1 }\nb = ${a} { y = 2 }\nl = [1]\nm =\t${l} [2]\ns = ${a.x} ${a.x}\nt = ${a}');
    const place = (path: string) => {
      const { line, column } = getPath(root, path)!.origin;
      return [line, column];
    };
    expect([place('b'), place('m'), place('s')]).toEqual([
      [2, 5],
      [4, 5],
      [5, 5],
    ]);
    expect([place('a'), place('b.x'), place('l'), place('t')]).toEqual([
      [1, 3],
      [1, 9],
      [3, 5],
      [1, 3],
    ]);
  });

  it('keeps the positions of properties, also after white space and in continued lines', () => {
    const { root } = parse('a.b = 1\n  c : \\\n\t x\nd=e\\\nf', { format: 'properties' });
    const places = ['a.b', 'c', 'd'].map((path) => getPath(root, path)!.origin);
    expect(places.map(({ line, column }) => [line, column])).toEqual([
      [1, 7],
      [3, 3],
      [4, 3],
    ]);
    expect(root.keys.get('c')).toMatchObject({ line: 2, column: 3 });
  });

  it('is plain data that structuredClone can copy', () => {
    const { root } = parse('a { b = [1, 1.5, 9007199254740993, text, true, null] }, c = ${a}');
    expect(structuredClone(root)).toEqual(root);
    expect(Object.getPrototypeOf(root)).toBe(Object.prototype);
  });

  it('marks values that come from environment variables', () => {
    const { root } = parse('a = ${X}, b = pre${X}, c = ${a}, d = plain', { env: { X: 'secret' } });
    for (const key of ['a', 'b', 'c']) expect(getPath(root, key)).toMatchObject({ kind: 'string', fromEnv: true });
    expect(getPath(root, 'd')).not.toHaveProperty('fromEnv');
    expect(getPath(root, 'a')?.origin).toMatchObject({ line: 1, column: 5 });
  });
});

describe('plain values', () => {
  it('contain bigint for long integers and Float for whole floating-point numbers', () => {
    const { value } = parse('a = 9007199254740993, b = 1e30, c = 3.0, d = 1.5, e = 1e400');
    expect(value['a']).toBe(9007199254740993n);
    expect(value['b']).toEqual(new Float(1e30));
    expect(value['c']).toBe(3);
    expect(value['d']).toBe(1.5);
    expect(value['e']).toEqual(new Float(Number.POSITIVE_INFINITY));
  });

  it('have no prototype, so that every key can be used', () => {
    const { value } = parse('__proto__ { polluted = 1 }, constructor = 2, toString = 3');
    expect(Object.getPrototypeOf(value)).toBeNull();
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('overrides of a text', () => {
  it('may have any type, are visible to substitutions, and are merged with each other and with the text', () => {
    const overrides = { 'o.a': 1.5, o: { b: [true, null], '${x}': '${x}' }, n: 9007199254740993n, deep: {} };
    expect(parse('o { a: 0, c: 3 }, copy: ${o.b}, n: 1, deep { kept: 1 }', { overrides }).value).toEqual({
      o: { a: 1.5, b: [true, null], c: 3, '${x}': '${x}' },
      copy: [true, null],
      n: 9007199254740993n,
      deep: { kept: 1 },
    });
  });

  it('are reported with their number if they are invalid', () => {
    expect(codes('a = 1', { overrides: { a: 2, 'b.': 3, 'c..d': 4 } })).toEqual([
      'bad-override 2:1',
      'bad-override 3:1',
    ]);
    let deep: PlainValue = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(codes('a = 1', { overrides: { deep } })).toEqual(['too-deep 1:1']);
  });

  it('are strings that override the text before it is resolved', () => {
    const text = 'n = 1\nname = job-${n}\nlist = [1]';
    expect(json(text, { overrides: { n: '7', 'o.p': 'x', list: 'none' } })).toEqual({
      n: '7',
      name: 'job-7',
      o: { p: 'x' },
      list: 'none',
    });
  });

  it('set elements of lists by position, for elements of any type', () => {
    const text = `base { x: 1 }, list: [{ a: \${?gone}, b: { c: [1, 2] } }, \${base}, three]
copy: \${list}, object { "0": zero }`;
    const overrides = {
      'list.0.a': 'set',
      'list.0.b.c.1': 'two',
      'list.1.x': 'one',
      'list.3.d': 'new',
      'object.0': 'o',
    };
    const list = [{ a: 'set', b: { c: [1, 'two'] } }, { x: 'one' }, 'three', { d: 'new' }];
    expect(json(text, { overrides })).toEqual({ base: { x: 1 }, list, copy: list, object: { 0: 'o' } });
    expect(json('list: [1, 2]', { overrides: { list: { 0: 3, 2: 4 } } })).toEqual({ list: [3, 2, 4] });
    expect(json('list: [1, 2]', { overrides: { 'list.x': 3 } })).toEqual({ list: { x: 3 } });
  });

  it('report why an element of a list cannot be set', () => {
    const text = 'list: [1], made: ${list} [2]';
    const problems = (path: string) =>
      parse(text, { overrides: { [path]: 'x' } }).problems.map(({ message }) => message);
    expect(problems('list.2')).toEqual(['list has no element 2; its length is 1']);
    expect(problems('made.0')).toEqual(['the elements of made cannot be set, because substitutions create the list']);
  });

  it('report an invalid path expression', () => {
    expect(codes('a = 1', { overrides: { 'a..b': 'x' } })).toEqual(['bad-override 1:1']);
  });
});

describe('substitutions', () => {
  it('distinguish keys that differ only in control characters', () => {
    const text = 'm = ${?z}\nm { a { b = 1 }, "a\\u0000b" = 2 }\nx = ${m.a.b}\ny = ${m."a\\u0000b"}';
    expect(json(text)).toMatchObject({ x: 1, y: 2 });
  });
});

describe('resolving with mistakes', () => {
  it('only removes the values that cannot be resolved', () => {
    const text = 'a = ${nope}\nb = ${a}\nc = [1] ${d}\nd { x = 1 }\ne = [${nada}, 2]\nf = ${f}\ng = ok';
    expect(codes(text)).toEqual([
      'undefined-substitution 1:5',
      'cannot-join 3:5',
      'undefined-substitution 5:6',
      'cyclic-substitution 6:5',
    ]);
    expect(json(text)).toEqual({ d: { x: 1 }, e: [2], g: 'ok' });
  });

  it('reports the values with substitutions if resolving is turned off', () => {
    const { value, problems } = parse('a = 1\nb = ${a}', { resolve: false });
    expect(value).toEqual({ a: 1 });
    expect(problems).toMatchObject([{ code: 'not-resolved', kind: 'NotResolved', line: 2, column: 5 }]);
  });
});

describe('hostile texts', () => {
  const problemOf = (text: string, options = {}) => parse(text, options).problems[0]?.code;

  it('are refused if they grow exponentially', () => {
    const doubling = (link: (i: number) => string) =>
      Array.from({ length: 30 }, (_, i) => `k${i + 1} = ${link(i)}`).join('\n');
    expect(problemOf(`k0 = x\n${doubling((i) => `\${k${i}}\${k${i}}`)}`)).toBe('result-too-large');
    expect(problemOf(`k0 = [x]\n${doubling((i) => `\${k${i}}\${k${i}}`)}`)).toBe('result-too-large');
    expect(problemOf(`k0 = [x]\n${doubling((i) => `[\${k${i}}, \${k${i}}]`)}`)).toBe('result-too-large');
    expect(problemOf(`k0 = ${'x'.repeat(1000)}\nk = ${'${k0}'.repeat(20_000)}`)).toBe('result-too-large');
    expect(problemOf(`k0 = [x]\n${doubling((i) => `{ a = \${k${i}}, b = \${k${i}} }`)}`)).toBe('result-too-large');
  });

  it('are refused if they are nested too deep', () => {
    for (const open of ['a{', 'a=[', 'a=[{a=', 'a=[[']) expect(problemOf(open.repeat(20_000))).toBeDefined();
    expect(problemOf(`a=${'['.repeat(30_000)}${']'.repeat(30_000)}`)).toBe('too-deep');
    expect(problemOf(`${'a.'.repeat(30_000)}a = 1`)).toBe('too-deep');
    expect(problemOf(`${'a.'.repeat(600)}a { b = 1 }`)).toBeUndefined();
    expect(problemOf(`${'a.'.repeat(600)}a { ${'b.'.repeat(600)}b = 1 }`)).toBe('too-deep');
    expect(problemOf(`${'a.'.repeat(30_000)}a = 1`, { format: 'properties' })).toBe('too-deep');
    expect(problemOf(`a = ${'${'.repeat(10_000)}`)).toBe('unclosed-substitution');
    expect(problemOf('a=1\n}'.repeat(10_000))).toBe('unexpected-close');
  });

  it('never create a tree deeper than the limit', () => {
    const nested = (inside: string) => `${'['.repeat(900)}${inside}${']'.repeat(900)}`;
    const { root, problems } = parse(`a = ${nested('1')}\nb = ${nested('${a}')}\nc = 2`);
    expect(problems.map(({ code }) => code)).toEqual(['result-too-large']);
    expect(toValue(structuredClone(root))).toMatchObject({ c: 2 });
  });

  it('texts with many appends are resolved in linear time', () => {
    for (const field of ['a += 1', 'o { a += 1 }', 'o.a += 1']) {
      const { root, problems } = parse(`${field}\n`.repeat(20_000), { limits: { steps: 1_000 } });
      expect(problems).toEqual([]);
      expect(getPath(root, field.startsWith('o') ? 'o.a' : 'a')).toMatchObject({ items: { length: 20_000 } });
    }
  });

  it('texts with long chains of substitutions are resolved', () => {
    const chain = Array.from({ length: 20_000 }, (_, i) => `k${i} = \${k${i + 1}}`).join('\n');
    expect(parse(`${chain}\nk20000 = end`).value['k0']).toBe('end');
    expect(codes(`${chain}\nk20000 = \${k0}`)).toHaveLength(1);
  });

  it('texts with long paths into unresolved values are resolved in time', () => {
    const path = 'a.'.repeat(900);
    const fields = Array.from({ length: 100 }, (_, i) => `${path}k${i} = \${?${path}k${i + 1}}`).join('\n');
    expect(problemOf(`a = \${?q}\n${fields}`)).toBe('too-much-work');
  });

  it('do not include long ordinary texts, whose limit grows with their length', () => {
    const job = (i: number) =>
      `job${i} = \${d} { path = \${d.root}/${i}, tags = \${d.tags} [b], next = \${?job${i + 1}.path} }\n`;
    const jobs = Array.from({ length: 400 }, (_, i) => job(i)).join('');
    const { problems } = parse(`d { root = /data, tags = [a] }\n${jobs}`, { limits: { steps: 1_000 } });
    expect(problems).toEqual([]);
  });

  it('are refused if they need too much work', () => {
    expect(parse(`${'a += ${b}\n'.repeat(1_000)}b = 1`).value['a']).toHaveLength(1_000);
    expect(problemOf(`b = 1\n${'a += ${b}\n'.repeat(10_000)}`)).toBe('too-much-work');
    expect(problemOf('a = ${a}\n'.repeat(5_000))).toBeDefined();
  });

  it('have at most a hundred problems', () => {
    expect(parse('a = *\n'.repeat(100_000)).problems).toHaveLength(100);
  });

  it('read no files without a loader', () => {
    expect(parse('include "/etc/passwd"\ninclude file("/etc/passwd")\na = 1').value).toEqual({ a: 1 });
    expect(problemOf('include required("/etc/passwd")')).toBe('include-missing');
    expect(parse('a = ${?PATH}').value).toEqual({});
  });
});

describe('properties', () => {
  const scalars = fc.oneof(
    unicodeText(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((x) => !Object.is(x, -0)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.boolean(),
    fc.constant(null),
  );
  const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalars,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(unicodeText(), tie('value'), { maxKeys: 4, noNullPrototype: false }),
    ),
  }));
  const config = fc.dictionary(unicodeText(), anyValue, { maxKeys: 5 });
  const pieces = fc.constantFrom(
    ...['{', '}', '[', ']', ',', '\n', '=', ':', '+=', '"', '"""', '\\', '${', '${?', '}', '#', '//', '.', ' ', '\t'],
    ...[
      'a',
      'b.c',
      'include ',
      'include "a"',
      'file(',
      ')',
      'true',
      'null',
      '1',
      '-',
      '1.5e3',
      '$',
      '*',
      '\ufeff',
      'é',
    ],
    ...['${a}', '${?b.c}', 'a = 1\n', 'b { c = ${a} }\n', '\\u12', '\ud800'],
  );
  const text = fc.oneof(
    unicodeText(),
    fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
  );

  it('parsing any text never throws, and its problems have positions inside the text', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('hocon' as const, 'json' as const, 'properties' as const), (input, format) => {
        const { root, problems } = parse(input, { format });
        structuredClone(root);
        const lines = input.split(/\n|\r\n?/).length;
        for (const { line, column, hint } of problems) {
          expect(hint).toBeTruthy();
          expect(line).toBeGreaterThan(0);
          expect(line).toBeLessThanOrEqual(lines);
          expect(column).toBeGreaterThan(0);
        }
        // The recovered tree is a valid config.
        expect(parse(render(root)).problems).toEqual([]);
      }),
      { numRuns: process.env['CI'] === undefined ? 1_000 : 3_000 },
    );
  });

  it('rendering a tree and parsing the result returns the same tree, in every style', () => {
    const styles = fc.record({
      format: fc.constantFrom('json' as const, 'hocon' as const),
      sorted: fc.boolean(),
      indent: fc.constantFrom(0, 2, 4),
    });
    fc.assert(
      fc.property(config, styles, (value, options) => {
        const node = fromValue(value);
        const { root, problems } = parse(render(node, options));
        expect(problems).toEqual([]);
        expect(toValue(root)).toEqual(toValue(node));
        if (options.format === 'json') {
          expect(parse(render(node, options), { format: 'json' }).value).toEqual(toValue(node));
        }
      }),
      { numRuns: process.env['CI'] === undefined ? 300 : 1_000 },
    );
  });

  it('a plain value that looks like a node is rendered as a plain value', () => {
    const origin = { line: 1 };
    for (const kind of ['string', 'number', 'boolean', 'list', 'object']) {
      expect(parse(render({ kind, origin })).value).toEqual({ kind, origin });
    }
  });

  it('JSON is parsed in the same way as by JSON.parse', () => {
    // HOCON does not support integers of more than 64 bits.
    const isShort = (value: unknown) => !/\d{19}/.test(JSON.stringify(value));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue().filter(isShort), { maxKeys: 4 }),
        fc.constantFrom(0, 2),
        (value, indent) => {
          const written = JSON.stringify(value, null, indent);
          const { value: parsed, problems } = parse(written, { format: 'json' });
          expect(problems).toEqual([]);
          const plain = (x: PlainValue) =>
            JSON.parse(JSON.stringify(x, (_, v) => (typeof v === 'bigint' ? Number(v) : v)));
          expect(plain(parsed)).toEqual(JSON.parse(JSON.stringify(JSON.parse(written))));
        },
      ),
    );
  });

  it('parsing the start of a config keeps the fields before the cut', () => {
    const whole = [
      'first = 1',
      'a { b = [1, "two", """three\nlines"""], c = ${first} } # note',
      'l = [ { x = 1 }, { y = ${a.b} [4] } ]',
      'include required(file("nothing"))',
      'a.d += "\\u0041"',
    ].join('\n');
    for (let end = 0; end <= whole.length; end++) {
      const { value } = parse(whole.slice(0, end));
      if (end >= 'first = 1'.length) expect(value['first']).toBe(1);
    }
  });

  it('a value that an override sets is found at its path', () => {
    const keys = fc.array(fc.string({ minLength: 0, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(keys, fc.string(), (path, value) => {
        const expression = path.map((key) => JSON.stringify(key)).join('.');
        expect(getPath(parse('', { overrides: { [expression]: value } }).root, path)).toMatchObject({ value });
      }),
    );
  });
});
