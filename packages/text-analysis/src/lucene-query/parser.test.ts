import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeValues } from './analysis.ts';
import { matches } from './evaluate.ts';
import { parseQuery } from './parser.ts';
import { QuerySyntaxError } from './query-syntax-error.ts';

const DOCUMENT = {
  text: ['The QUICK-brown fox jumps over the lazy dog', "o'neil's foo_bar costs 3.14"],
  title: ['Quick'],
  country: ['SOUTH KOREA'],
  code: ['a12', 'été', '東京タワー', '42'],
};

function found(query: string, fields: Record<string, readonly string[]> = DOCUMENT): boolean {
  const document = new Map(Object.entries(fields).map(([name, values]) => [name, analyzeValues(values)]));
  return matches(parseQuery(query, 'text'), document);
}

describe('queries', () => {
  it.each([
    // Queries with single terms
    ['fox', true],
    ['FOX', true],
    ['cat', false],
    ['title:fox', false],
    ['title:quick', true],
    ['nowhere:fox', false],
    ['cat fox', true],
    ['quick-brown', true],
    ['cat-fox', true],
    ["o'neil's", true],
    ['neil', false],
    ['3.14', true],
    ['foo_bar', true],
    ['quick\\-brown', true],
    ['f\\u006fx', true],
    ['country:\\south', true],
    // Queries with operators
    ['+fox +dog', true],
    ['+fox +cat', false],
    ['fox AND cat', false],
    ['fox && dog', true],
    ['fox OR cat', true],
    ['cat || dog', true],
    ['fox NOT dog', false],
    ['fox !cat', true],
    ['fox -dog', false],
    ['-cat', false],
    ['*:* -cat', true],
    ['*:*', true],
    ['fox AND dog OR cat', true],
    ['cat OR fox AND dog', true],
    ['cat AND fox OR dog', false],
    ['fox AND NOT cat', true],
    ['fox AND NOT dog', false],
    ['-fox AND dog', false],
    ['(cat OR fox) AND dog', true],
    ['+(cat dog) -(fox AND bird)', true],
    ['title:(slow quick)', true],
    ['title:(fox text:fox)', true],
    ['- fox', true],
    ['"..." fox', true],
    ['"..."', false],
    ['fox^2 cat^0.5', true],
    ['(cat)^3 dog', true],
    // Queries with phrases
    ['"brown fox"', true],
    ['"fox brown"', false],
    ['"fox brown"~2', true],
    ['"fox brown"~1', false],
    ['"quick fox"~1', true],
    ['"quick fox"', false],
    ['"the the"~5', true],
    ['"the the"~4', false],
    ['"the the the"~50', false],
    ['"lazy dog o"', false],
    ['"dog o\'neil\'s"~20', false],
    ['"lazy dog"^2', true],
    ["country:'SOUTH KOREA'", true],
    ['country:"south korea"', true],
    // Queries with wildcards, ranges and regular expressions
    ['qui*', true],
    ['QUI*', true],
    ['cat*', false],
    ['f?x', true],
    ['f*x*', true],
    ['l*y', true],
    ['l*z', false],
    ['code:?12', undefined],
    ['*ox', undefined],
    ['text:*', undefined],
    ['fxo~1', true],
    ['fxo~0', false],
    ['foxes~', true],
    ['foxes~1', false],
    ['quikc~1', true],
    ['qwick~0.7', true],
    ['fx~0.5', true],
    ['fox~1.5', undefined],
    ['[f TO g]', true],
    ['[fox TO fox]', true],
    ['{fox TO g]', false],
    ['{cat TO fox]', true],
    ['{d TO dog}', false],
    ['code:[* TO a1]', true],
    ['title:{quick TO *]', false],
    ['title:[QUICK TO *]', true],
    ['title:["quick" TO "r"]', true],
    ['code:[42 TO 5]', true],
    ['/fo[xyz]/', true],
    ['/FO./', true],
    ['/f/', false],
    ['/(cat|fo+x)/', true],
    ['/[^a-e]ox/', true],
    ['/q.{3}k/', true],
    ['/q.{4,}k/', false],
    ['/f(o|u)?x{1,2}/', true],
    ['/@ox&f@/', true],
    ['title:/~(quick)/', false],
    ['title:/~(slow)/', true],
    ['code:/a<10-20>/', true],
    ['code:/a<13-20>/', false],
    ['code:/\\d+/', true],
    ['code:/\\D\\d\\d/', true],
    ['code:/"a12"/', true],
    ['title:/#/', false],
    // Queries with words in other scripts
    ['code:été', true],
    ['code:ÉTÉ', true],
    ['code:東', true],
    ['code:東京', true],
    ['code:"東京"', true],
    ['code:"京東"', false],
    ['code:タワー', true],
    ['code:タワ', false],
  ])('%s: %s', (query, expected) => {
    if (expected === undefined) expect(() => parseQuery(query, 'text')).toThrow(QuerySyntaxError);
    else expect(found(query)).toBe(expected);
  });

  it.each([
    ['', 'the query ends at position 1, where a term is expected'],
    ['a:b:c', '":" is at position 4, where a term is expected'],
    ['(a b', 'where a closing bracket is expected'],
    ['a)', '")" is at position 2'],
    ['a AND', 'the query ends'],
    ['AND a', '"AND" is at position 1'],
    ['"a', 'unexpected "\\"" at position 1'],
    ['[a b', 'where ] or } is expected'],
    ['[a TO', 'where an end of a range is expected'],
    ['a^', 'where a number is expected'],
    ['a^x', 'unexpected "x"'],
    ['a\\', 'unexpected "\\\\"'],
    ['\\u12', '\\u needs four hexadecimal digits'],
    ['*a', 'begins with * or ?'],
    ['/a(b/', ') is missing'],
    ['/a{2,1}/', 'in the wrong order'],
    ['/[b-a]/', 'in the wrong order'],
    ['/a|/', 'something is missing'],
    ['/a{2000}/', 'more than 1000'],
    ['('.repeat(1000), 'more than 200 brackets'],
    [`/${'('.repeat(1000)}/`, 'nested too deeply'],
  ])('%s is rejected', (query, message) => {
    expect(() => parseQuery(query, 'text')).toThrow(message);
  });

  it('returns a query or throws a syntax error for any text', () => {
    const unit = fc.constantFrom(
      'a',
      'b',
      ' ',
      '"',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '~',
      '^',
      '*',
      '?',
      '\\',
      '/',
      ':',
      '+',
      '-',
      '!',
      '1',
      'AND ',
      ' TO ',
      '&',
      '|',
      '<',
      '#',
      '@',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (query) => {
        try {
          found(query);
        } catch (error) {
          if (!(error instanceof QuerySyntaxError)) throw error;
        }
      }),
      { numRuns: 20 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('evaluates hostile patterns in a short time', () => {
    const text = [`${'a'.repeat(250)}b`];
    expect(found(`a${'*a'.repeat(50)}*c`, { text })).toBe(false);
    expect(found('/(a+)+c/', { text })).toBe(false);
    expect(found('/(a|aa)*~(b)c/', { text })).toBe(false);
    expect(found(`"${'a '.repeat(30)}"~50`, { text: ['a '.repeat(29)] })).toBe(false);
  });
});
