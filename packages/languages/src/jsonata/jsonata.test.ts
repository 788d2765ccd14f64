import fc from 'fast-check';
import jsonata from 'jsonata';
import { describe, expect, it } from 'vitest';
import { compileJsonata } from './index.ts';
import { readJson, writeValue } from './json.test.lib.ts';
import type { JsonObject } from './values.ts';

const SMALL = { maxDepth: 3, depthSize: 'small', withCrossShrink: true, depthIdentifier: 'expression' } as const;

/** Generates expressions that this package evaluates, over the fields of `anyData`. */
const expression = fc.letrec<Record<'any' | 'path' | 'list' | 'text' | 'number' | 'condition', string>>((tie) => {
  const maybe = (arbitrary: fc.Arbitrary<string>) => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, arbitrary);
  const joined = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
      .map((texts) => texts.join(''));
  const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
  const name = oneOf('a', 'b', 'c', 'd', 'none', '`x y`', '"10"');
  const index = fc.oneof(
    joined('[', oneOf('0', '1', '-1', '5', '1.7', '[0,1]', '$n'), ']'),
    joined('[', tie('condition'), ']'),
    joined('[', tie('path'), ']'),
  );
  const step = fc.oneof(
    { weight: 8, arbitrary: joined(name, maybe(index)) },
    oneOf('*', '**', '$'),
    joined('(', tie('any'), ')', maybe(index)),
    joined('{"k": ', tie('any'), ', $string(a): b}'),
    joined('[', tie('any'), ']'),
    oneOf('$string()', '$count($)', '$type($)'),
  );
  const lambda = (...parameters: string[]) =>
    joined(
      `function(${parameters.join(', ')}) { `,
      fc.oneof(tie('any'), oneOf(...parameters, `$string(${parameters[0]})`)),
      ' }',
    );
  return {
    any: fc.oneof(
      SMALL,
      oneOf('null', 'true', 'false', 'none', '$', '$$', '$n', 'a', 'b.c', '1', '"x"'),
      tie('path'),
      tie('text'),
      tie('number'),
      tie('condition'),
      tie('list'),
      joined('{"x": ', tie('any'), ', "y": ', tie('any'), '}'),
      joined('{', tie('path'), ': ', tie('any'), '}'),
      joined('(', tie('condition'), ' ? ', tie('any'), maybe(joined(' : ', tie('any'))), ')'),
      joined('($n := ', tie('any'), '; ', tie('any'), ')'),
      joined(tie('any'), ' ~> ', oneOf('$string', '$count()', '$exists', '$append(1)')),
      joined('$lookup(', tie('any'), ', "a")'),
      joined('$reduce(', tie('list'), ', ', lambda('$l', '$r'), maybe(joined(', ', tie('any'))), ')'),
    ),
    path: fc.oneof(
      SMALL,
      joined(maybe(oneOf('$.', '$$.')), name, maybe(joined('.', name))),
      {
        weight: 6,
        arbitrary: joined(maybe(oneOf('$.', '$$.')), step, maybe(joined('.', step)), maybe(joined('.', step))),
      },
      joined(step, '.', step, '[]'),
      joined(name, '[]'),
      joined(name, '^(', oneOf('', '>', '<'), step, ')', maybe(index), maybe(joined('.', step))),
      joined('$^(>b, a)'),
      joined(step, maybe(joined('.', step)), '{$string(a): ', tie('any'), '}'),
    ),
    list: fc.oneof(
      SMALL,
      oneOf('[]', '[[1], [2, 3]]', '[1..3].($ * 2)', '[a, b].c', 'a', 'b.c'),
      joined('[', tie('any'), ', ', tie('any'), ']', maybe(index)),
      joined('[', oneOf('0', '2', 'a', '1.5'), '..', oneOf('3', '0', 'a', 'b'), ']'),
      tie('path'),
      joined('$append(', tie('any'), ', ', tie('any'), ')'),
      joined(oneOf('$reverse', '$distinct', '$keys', '$sort'), '(', tie('any'), ')'),
      joined('$map(', tie('list'), ', ', lambda('$v', '$i', '$l'), ')'),
      joined('$filter(', tie('list'), ', ', lambda('$v'), ')', maybe(index)),
      joined('$sort(', tie('list'), ', ', lambda('$l', '$r'), ')'),
      joined('$merge([{"a": ', tie('any'), '}, {"b": 1, "a": 2}])'),
      joined('$split(', tie('text'), ', ', oneOf('"a"', '""', '/[ab]/', '/\\s*/'), maybe(oneOf(', 2', ', 0')), ')'),
      joined('$match(', tie('text'), ', ', oneOf('/[a-c]/', '/(a)(b)?/', '/x*/'), maybe(oneOf(', 1')), ')'),
    ),
    text: fc.oneof(
      SMALL,
      oneOf('"a"', '""', '"ab, ba"', '"10"', '" é😀 "'),
      joined(tie('any'), ' & ', tie('any')),
      joined('$string(', tie('any'), ')'),
      joined(oneOf('$uppercase', '$lowercase', '$trim', '$type'), '(', tie('any'), ')'),
      joined('$substring(', tie('text'), ', ', oneOf('1', '-1', '0', '0.5'), maybe(oneOf(', 2', ', -1')), ')'),
      joined(oneOf('$substringBefore', '$substringAfter'), '(', tie('text'), ', "a")'),
      joined('$pad(', tie('text'), ', ', oneOf('5', '-5', '2'), maybe(oneOf(', "-"', ', "ab"')), ')'),
      joined('$join(', tie('list'), maybe(oneOf(', "-"')), ')'),
      joined(
        '$replace(',
        tie('text'),
        ', ',
        oneOf('"a", "$1"', '/[a-c]/, "<$0>"', '/(a)(b)?/, "$2$1$$$3$x"', '/x*/, "y"'),
        maybe(oneOf(', 1', ', 0')),
        ')',
      ),
    ),
    number: fc.oneof(
      SMALL,
      oneOf('0', '1', '2.5', '-3', '1e3', '10', 'a', 'b', '$n'),
      joined('(', tie('number'), oneOf(' + ', ' - ', ' * ', ' / ', ' % '), tie('number'), ')'),
      joined('-(', tie('any'), ')'),
      joined(oneOf('$sum', '$max', '$min', '$average', '$count', '$length', '$number'), '(', tie('any'), ')'),
      joined(oneOf('$floor', '$ceil', '$round', '$abs', '$sqrt'), '(', tie('number'), ')'),
      joined('$power(', tie('number'), ', 2)'),
    ),
    condition: fc.oneof(
      SMALL,
      oneOf('true', 'a', 'b > 1', 'a = b'),
      joined(tie('any'), oneOf(' = ', ' != ', ' < ', ' <= ', ' > ', ' >= ', ' in '), tie('any')),
      joined('(', tie('condition'), oneOf(' and ', ' or '), tie('any'), ')'),
      joined(oneOf('$exists', '$not', '$boolean'), '(', tie('any'), ')'),
      joined('$contains(', tie('text'), ', ', oneOf('"a"', '/A/i', '/^b/m'), ')'),
    ),
  };
}).any;

const anyData = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, 1, 2, -1, 2.5, 0.1, 123456789012, 'a', '', 'ab', '10', true, false, null),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'x y', '10'), tie('value'), { maxKeys: 4 }),
})).value;

const FAILED = 'an error';

/**
 * Returns the result of the library as JSON. Functions, and values that JSON lacks, count as errors, as in this
 * package.
 */
async function byLibrary(text: string, data: unknown): Promise<string> {
  try {
    const result: unknown = await jsonata(text).evaluate(data);
    if (result === undefined) return 'nothing';
    let bad = typeof result === 'function';
    const json = JSON.stringify(result, (_key, value: unknown) => {
      bad ||= (typeof value === 'number' && !Number.isFinite(value)) || typeof value === 'bigint';
      bad ||=
        typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value);
      return value;
    });
    return bad ? FAILED : json;
  } catch {
    return FAILED;
  }
}

describe('compileJsonata', () => {
  const json =
    '{"name":"Ann","one":1.0,"big":9007199254740993,"items":[{"n":"pen","p":2,"q":3},{"n":"book","p":12.5,"q":1}],"s":"a,b;c"}';
  // JSON.parse would move this name to the front.
  const input = () => (readJson(json) as JsonObject).set('10', 'ten');

  it.each([
    ['one', '1.0'],
    ['[one, big]', '[1.0,9007199254740993]'],
    ['$append(one, big)', '[1.0,9007199254740993]'],
    ['one = 1 and big > 1', 'true'],
    ['one & " " & big', '"1 9007199254740993"'],
    ['one + 1', '2'],
    ['4 / 2', '2'],
    ['1e20 * 1', '100000000000000000000'],
    ['9007199254740992 + 2', '9007199254740994'],
    ['0.1 + 0.2 & ""', '"0.3"'],
    ['$keys($)[-1]', '"10"'],
    ['`10` & "10"', '"ten10"'],
    ['items^(>p).n', '["book","pen"]'],
    ['$base64decode($base64encode("é"))', '"é"'],
    ['$replace(s, /[ac]/, "<$0>")', '"<a>,b;<c>"'],
    ['$contains(s, /[a-z],b/)', 'true'],
    ['$now() = $fromMillis($millis())', 'true'],
    ['$eval("name")', '"Ann"'],
    ['$count($each($, function($v, $k) { $k }))', '6'],
    // The library returns unchanged lists and objects without a copy.
    ['$sift($, function($v, $k) { $k = "items" }).items', '[{"n":"pen","p":2,"q":3},{"n":"book","p":12.5,"q":1}]'],
    ['($ ~> |items|{"t": p * q}|).big', '9007199254740993'],
    ['$spread([{"a": big}])', '[{"a":9007199254740993}]'],
    ['($f := function($n) { $n <= 1 ? 1 : $n * $f($n - 1) }; $f(20))', '2432902008176640000'],
    ['none', 'nothing'],
    ['__proto__', 'nothing'],
    ['$.constructor', 'nothing'],
    ['{"__proto__": 1, "constructor": 2}', '{"__proto__":1,"constructor":2}'],
  ])('evaluates %s', async (text, expected) => {
    const result = await (await compileJsonata(text)).evaluate(input());
    expect(result === undefined ? 'nothing' : writeValue(result)).toBe(expected);
  });

  it('compiles regular expressions with the function of the caller, here and in the library', async () => {
    const compiled: string[] = [];
    const text = '[$contains(s, /a/i), $contains(s, /(?<!x)b/), $eval("$contains(s, /c/m)")]';
    const { evaluate } = await compileJsonata(text, (source, { ignoreCase, multiline }) => {
      compiled.push(`${source} ${ignoreCase} ${multiline}`);
      return { test: () => source !== 'a', find: () => undefined };
    });
    expect(writeValue((await evaluate(input())) ?? null)).toBe('[false,false,false]');
    expect(compiled.slice(0, 2)).toEqual(['a true false', '(?<!x)b false false']);
  });

  it('treats a list as one value', async () => {
    for (const [text, expected] of [
      ['$', '[1,[2]]'],
      ['$count($)', '2'],
      ['$[0]', '1'],
      ['$$[1]', '[2]'],
      ['$.($string())', '["1","[2]"]'],
    ] as const) {
      expect(writeValue((await (await compileJsonata(text)).evaluate(readJson('[1,[2]]'))) ?? null)).toBe(expected);
    }
  });

  it('does not compute with integers beyond 2^53', async () => {
    const compiled = await compileJsonata('[a..a]');
    expect(() => compiled.evaluate(readJson('{"a":1e21}'))).toThrow('a range is beyond 2^53');
  });

  it('shares nothing with the input', async () => {
    const input = readJson('{"a":{"b":[1]}}');
    for (const text of ['a', '$', '[a, a]', '$sift($, function($v) { true })', '$spread($).a']) {
      const result = JSON.stringify(await (await compileJsonata(text)).evaluate(input), (_key, value: unknown) => {
        if (value instanceof Map) value.set('changed', 1);
        return value instanceof Map ? Object.fromEntries(value) : value;
      });
      expect(result).toContain('changed');
      expect(writeValue(input)).toBe('{"a":{"b":[1]}}');
    }
  });

  it.each([
    ['a[', /end of expression/],
    ['(', /end of expression/],
    ['/(/', /(?:regular expression|group)/i],
    ['/a{2,1}/', /./],
  ])('refuses %s', async (text, reason) => {
    await expect(compileJsonata(text)).rejects.toThrow(reason);
  });
  it('returns the same results as the jsonata library', async () => {
    let direct = 0;
    let total = 0;
    await fc.assert(
      fc.asyncProperty(expression, anyData, async (text, data) => {
        const json = JSON.stringify(data);
        const copy: unknown = JSON.parse(json);
        const expected = await byLibrary(text, copy);
        // The library adds a member to the empty lists that it groups.
        fc.pre(JSON.stringify(copy) === json);
        let found: string;
        try {
          const compiled = await compileJsonata(text);
          const result = compiled.evaluate(readJson(json));
          total++;
          if (!(result instanceof Promise)) direct++;
          const value = await result;
          found = value === undefined ? 'nothing' : writeValue(value);
        } catch {
          found = FAILED;
        }
        expect(sorted(found)).toBe(sorted(expected));
      }),
      { numRuns: process.env['CI'] === undefined ? 300 : 1_000 },
    );
    // Otherwise the test would only compare the library with itself.
    expect(direct / total).toBeGreaterThan(0.5);
  });
});

/** Sorts the keys of objects, because the library puts keys that look like numbers first. */
function sorted(json: string): string {
  if (json === FAILED || json === 'nothing') return json;
  return JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
