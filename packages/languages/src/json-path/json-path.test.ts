import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJsonPath, JsonPathError } from './index.ts';

/** Represents the object that a caller uses for a whole double. */
class Double {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  valueOf(): number {
    return this.value;
  }

  toString(): string {
    return Number.isInteger(this.value) ? this.value.toFixed(1) : String(this.value);
  }
}

const double = (value: number): unknown => (Number.isInteger(value) ? new Double(value) : value);

/** Reads JSON with whole doubles as `{"$double": 1}` and long integers as `{"$long": "…"}`. */
function decode(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(decode);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json);
  const [first] = entries;
  if (first?.[0] === '$double') return new Double(Number(first[1]));
  if (first?.[0] === '$long') return BigInt(String(first[1]));
  return new Map(entries.map(([key, value]) => [key, decode(value)]));
}

function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value === 'bigint') return { $long: String(value) };
  if (value instanceof Double) return { $double: value.value };
  return value instanceof Map ? Object.fromEntries([...value].map(([key, item]) => [key, encode(item)])) : value;
}

function run(path: string, json: unknown): unknown {
  return encode(compileJsonPath(path, { double }).evaluate(decode(json)));
}

/** Recorded from Jayway JsonPath 2.9.0 with DEFAULT_PATH_LEAF_TO_NULL and SUPPRESS_EXCEPTIONS. */
interface Recorded {
  readonly documents: readonly unknown[];
  readonly cases: readonly {
    readonly path: string;
    readonly document: number;
    readonly definite?: boolean;
    readonly error?: true;
    readonly result?: unknown;
  }[];
}

const recorded = JSON.parse(
  readFileSync(new URL('./jayway-cases.generated.json', import.meta.url), 'utf8'),
) as Recorded;

describe('paths as recorded from Jayway', () => {
  it.each(recorded.cases)('$path of document $document', ({ path, document, definite, error, result }) => {
    if (error) {
      expect(() => compileJsonPath(path)).toThrow(JsonPathError);
      return;
    }
    expect(compileJsonPath(path).definite).toBe(definite);
    // Compared as text, because the order of keys matters. Jayway returns null if a path has no result.
    expect(JSON.stringify(run(path, recorded.documents[document]) ?? null)).toBe(JSON.stringify(result));
  });
});

describe('paths that differ from Jayway on purpose', () => {
  const json = {
    empty: [],
    one: [7],
    negative: [-3, -1],
    numbers: [1, 2, 3, 4],
    rows: [{ b: 1 }, { b: 2 }],
    text: 'x',
    object: {},
    lists: [['a'], 'a'],
  };

  it.each([
    ['$.empty.sum()', undefined],
    ['$.empty.first()', undefined],
    ['$.one.last()', 7],
    ['$.numbers.index(-4)', 1],
    ['$.numbers.index(9)', undefined],
    ['$.negative.max()', { $double: -1 }],
    ['$.numbers[1:-1]', [2, 3]],
    ['$.numbers[-9:2]', [1, 2]],
    ['$.numbers[0:4:2]', [1, 3]],
    ['$.numbers[:]', [1, 2, 3, 4]],
    ['$.text[?(@.a)]', []],
    ['$..rows[*].b', [1, 2]],
    ['$..rows[0,1].b', [1, 2]],
    ['$.rows[?(!@.b == 1)]', [{ b: 2 }]],
    ['$.rows[?(@..zz)]', []],
    ['$.rows[?@.b == 2]', [{ b: 2 }]],
    ['$.object[?(@ empty true)]', [{}]],
    ["$.lists[?(@ in [['a']])]", [['a']]],
    ["$.lists[?(@ all ['a'])]", [['a']]],
    ['$.concat("a", \'b\', 1)', 'ab1'],
  ])('%s', (path, result) => {
    expect(run(path, json)).toEqual(result);
  });

  it('never changes the document', () => {
    const list = [1];
    expect(compileJsonPath<unknown>('$.append(2)').evaluate(list)).toEqual([1, 2]);
    expect(list).toEqual([1]);
  });
});

describe('values', () => {
  it('distinguishes a missing value from null', () => {
    expect(run('$.a.b', { a: 1 })).toBeUndefined();
    expect(run('$.a[3]', { a: [] })).toBeUndefined();
    expect(run('$.b', { a: 1 })).toBeNull();
    expect(run('$.a', { a: null })).toBeNull();
  });

  it('returns parts of the document without a copy', () => {
    const inner = new Map([['b', 1]]);
    expect(compileJsonPath<unknown>('$.a').evaluate(new Map([['a', inner]]))).toBe(inner);
  });

  it('accepts names of JavaScript object members as field names', () => {
    expect(run('$.__proto__', {})).toBeNull();
    expect(run("$['10']", { 10: 'x' })).toBe('x');
    expect(run("$['\\u0041\\'\\n']", { "A'\n": 1 })).toBe(1);
    expect(run('$.größe-2', { 'größe-2': 1 })).toBe(1);
  });

  it('keeps long integers exact in comparisons', () => {
    const rows = [{ v: { $long: '9007199254740993' } }, { v: { $long: '9007199254740995' } }];
    expect(run('$[?(@.v > 9007199254740993)]', rows)).toEqual([rows[1]]);
    expect(run("$[?(@.v == '9007199254740993')]", rows)).toEqual([rows[0]]);
  });

  it('computes with plain numbers if the caller has no function for doubles', () => {
    expect(compileJsonPath<unknown>('$.sum()').evaluate([1, 2])).toBe(3);
  });
});

describe('regular expressions', () => {
  it.each([
    ['/a.c/', 'abc', true],
    ['/a.c/', 'xabc', false],
    ['/a.c/i', 'ABC', true],
    ['/a.c/', 'a\nc', false],
    ['/a.c/s', 'a\nc', true],
    ['/a|b/', 'b', true],
    ['/a\\/b/', 'a/b', true],
    ['/^b$/m', 'a\nb', false],
    ['/.*a\\]\\)/', 'xa])', true],
  ])('%s against %j', (expression, text, matches) => {
    expect(run(`$[?(@ =~ ${expression})]`, [text])).toEqual(matches ? [text] : []);
  });

  it('are compiled by the function that the caller passes as `regex`', () => {
    const regex = (pattern: string, flags: string) => (text: string) => text === `${pattern}/${flags}`;
    expect(compileJsonPath<unknown>('$[?(@ =~ /x/u)]', { regex }).evaluate(['x/u', 'x'])).toEqual(['x/u']);
  });

  it('are checked when the path is compiled', () => {
    expect(() => compileJsonPath('$[?(@.a =~ /(/)]')).toThrow(/regular expression is invalid.*position 12/);
  });
});

describe('an invalid path', () => {
  it('is reported with the position and the remedy', () => {
    expect(() => compileJsonPath('$.a b')).toThrow(/\['a name'\].*position 5 of the JSON path "\$\.a b"/);
    expect(() => compileJsonPath('$.a[?(@.b foo 1)]')).toThrow(/Unknown operator foo, known are .*nin/);
    expect(() => compileJsonPath('$.a.foo()')).toThrow(/Unknown function foo, known are .*sum/);
    expect(() => compileJsonPath('')).toThrow(/empty/);
  });

  it('always throws a JsonPathError', () => {
    const pieces = [
      '$',
      '@',
      '.',
      '..',
      '[',
      ']',
      '?',
      '(',
      ')',
      "'",
      '"',
      ',',
      ':',
      '*',
      'a',
      '1',
      '-',
      ' ',
      '==',
      '&&',
      '/',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
        try {
          compileJsonPath<unknown>(parts.join('')).evaluate(decode({ a: [{ a: 1 }, 'a'] }));
        } catch (error) {
          expect(error).toBeInstanceOf(JsonPathError);
        }
      }),
      { numRuns: 20 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('finds every value of every document by its path', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        for (const [path, value] of places('$', json)) expect(run(path, json)).toEqual(value);
      }),
    );
  });
});

function* places(path: string, json: unknown): Generator<[string, unknown]> {
  yield [path, json];
  if (Array.isArray(json)) {
    for (const [index, item] of json.entries()) yield* places(`${path}[${index}]`, item);
  } else if (typeof json === 'object' && json !== null) {
    for (const [key, item] of Object.entries(json)) {
      yield* places(`${path}['${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`, item);
    }
  }
}
