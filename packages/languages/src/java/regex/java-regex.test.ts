import { readFileSync } from 'node:fs';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJavaRegex, JavaRegexError, type JavaRegexFlags, parseJavaReplacement } from './index.ts';

type Group = string | null;
type Recorded = [
  pattern: string,
  text: string,
  flags: string,
  replacement: string,
  /** Null if `Pattern.compile` throws; `replaced` is null if `replaceAll` throws. */
  expected:
    | null
    | [groupCount: number, matches: (number | Group)[][], whole: boolean, split: string[], replaced: Group],
];

/**
 * The results of Java 25 for `Pattern.compile`, repeated `find`, `matches`, `split` and `replaceAll`. Flags as in
 * `(?…)`, and `l` for literal.
 */
const recorded = JSON.parse(
  readFileSync(new URL('./java-25-cases.generated.json', import.meta.url), 'utf8'),
) as Recorded[];

function flagsOf(letters: string): JavaRegexFlags {
  return {
    ignoreCase: letters.includes('i'),
    multiline: letters.includes('m'),
    dotall: letters.includes('s'),
    literal: letters.includes('l'),
    comments: letters.includes('x'),
  };
}

function outcome(pattern: string, text: string, letters: string, replacement: string): Recorded[4] {
  let regex: ReturnType<typeof compileJavaRegex>;
  try {
    regex = compileJavaRegex(pattern, flagsOf(letters));
  } catch (error) {
    if (error instanceof JavaRegexError) return null;
    throw error;
  }
  const matches = regex
    .findAll(text)
    .map(({ index, end, groups }) => [index, end, ...groups.slice(1).map((group) => group ?? null)]);
  let replaced: string | null = null;
  try {
    replaced = regex.replaceAll(text, parseJavaReplacement(replacement));
  } catch {
    // The recording has null here, too.
  }
  return [regex.groupCount, matches, regex.matches(text), regex.split(text), replaced];
}

const found = (pattern: string, text: string, flags?: JavaRegexFlags) =>
  compileJavaRegex(pattern, flags)
    .findAll(text)
    .map((match) => match.text);

const replaced = (pattern: string, text: string, replacement: string) =>
  compileJavaRegex(pattern).replaceAll(text, parseJavaReplacement(replacement));

function errorOf(pattern: string): JavaRegexError {
  try {
    compileJavaRegex(pattern);
  } catch (error) {
    if (error instanceof JavaRegexError) return error;
    throw error;
  }
  throw new Error(`${pattern} was accepted`);
}

describe('compileJavaRegex', () => {
  it.each([0, 1])('returns the text of group %i in all matches', (group) => {
    // Adds patterns that begin with ^ to the recorded ones: for some of them one attempt is enough, for others it only
    // seems so.
    const anchored = [
      '^',
      '^a',
      '^(a)?',
      '^a|b',
      '^(a|b)',
      '(?:^a|b)',
      '(?m)^(.)',
      '^*a',
      '(^|b)a',
      '\\A(.)',
      '^^(b?)',
    ];
    const cases = [
      ...recorded.filter(([, , , , expected]) => expected !== null),
      ...anchored.flatMap((pattern) => ['', 'a', 'aab', 'ba\nab\na', '\n'].map((text) => [pattern, text, ''] as const)),
    ];
    for (const [pattern, text, letters] of cases) {
      const regex = compileJavaRegex(pattern, flagsOf(letters));
      if (group > regex.groupCount) continue;
      const collected: string[] = [];
      regex.collect(text, group, collected);
      const all = regex.findAll(text).flatMap(({ groups }) => groups[group] ?? []);
      expect(collected, `${pattern} in ${JSON.stringify(text)}`).toEqual(all);
    }
  });

  it(`equals Java in ${recorded.length} recorded cases`, () => {
    const differing = recorded
      .map(([pattern, text, letters, replacement, expected]) => ({
        pattern,
        text,
        letters,
        expected,
        actual: outcome(pattern, text, letters, replacement),
      }))
      .filter(({ expected, actual }) => JSON.stringify(expected) !== JSON.stringify(actual));
    expect(differing).toEqual([]);
  });

  it('searches from an offset, and has no state between calls', () => {
    const regex = compileJavaRegex('a(?<digit>\\d)');
    expect(regex.find('a1 a2', 1)).toMatchObject({ index: 3, end: 5, text: 'a2', groups: ['a2', '2'] });
    expect(regex.find('a1 a2')?.named('digit')).toBe('1');
    expect(regex.test('a1')).toBe(true);
    expect(regex.test('a1')).toBe(true);
    expect(regex.matches('a1 ')).toBe(false);
    expect(regex.matches('a1')).toBe(true);
    expect(regex.find('b')).toBeUndefined();
    expect(() => regex.find('a1')?.named('other')).toThrow('no group named other');
  });

  it('numbers groups as Java does if emulations need additional groups', () => {
    const regex = compileJavaRegex('(?>x+)(a)\\w++-(?<last>b)');
    expect(regex.groupCount).toBe(2);
    expect(regex.find('xxacc-b')?.groups).toEqual(['xxacc-b', 'a', 'b']);
    expect(regex.find('xxacc-b')?.named('last')).toBe('b');
    expect(regex.replaceAll('xxacc-b', parseJavaReplacement('$2${last}$1'))).toBe('bba');
  });

  it('supports the flag for comments', () => {
    expect(found(' a b # both\n c', 'abc', { comments: true })).toEqual(['abc']);
    expect(found('a b', 'a b', { comments: true, literal: true })).toEqual(['a b']);
  });

  it('reports an error of the replacement only if there is a match', () => {
    for (const replacement of ['$1', '$', '\\', '${name}', '${', '${1}']) {
      expect(replaced('a', 'b', replacement)).toBe('b');
      expect(() => replaced('a', 'a', replacement)).toThrow(`The replacement ${JSON.stringify(replacement)}`);
    }
  });

  it('supports references to groups above 99', () => {
    const letters = Array.from({ length: 101 }, (_, at) => String.fromCharCode(0x4e00 + at)).join('');
    const pattern = Array.from(letters, (letter) => `(${letter})`).join('');
    expect(replaced(pattern, letters, '$101$100$1')).toBe(letters[100]! + letters[99]! + letters[0]!);
  });
});

describe('errors', () => {
  it('name the construct, the position and the remedy', () => {
    expect(errorOf('ab*+*')).toMatchObject({ pattern: 'ab*+*', position: 4 });
    expect(errorOf('ab*+*').message).toContain('write \\* for the character (at character 5');
    expect(errorOf('a(b').message).toContain('the group ( has no closing )');
    expect(errorOf('a{,3}').message).toContain('write \\{ for the character');
    expect(errorOf('\\y').message).toContain('\\y has no meaning here');
    expect(errorOf('\\p{Grek}').message).toContain('\\p{Grek} is not a property');
    expect(errorOf('('.repeat(100_000)).message).toContain('nested more than');
    expect(errorOf('[a&&'.repeat(100_000)).message).toContain('nested more than');
    expect(errorOf('[a').message).toContain('the class [ has no closing ]');
    expect(errorOf('[\\d&&&a]').message).toContain('write \\& for the character (at character 4');
    expect(found('[a-c&&]', 'abd')).toEqual(['a', 'b']);
  });

  it('name features that Java has and JavaScript does not', () => {
    expect(errorOf('\\Ga').message).toContain('\\G');
    expect(errorOf('\\N{DIGIT ONE}').message).toContain('\\N{…}');
    expect(errorOf('\\b{g}').message).toContain('\\b{g}');
    expect(errorOf('(?<=(a{1,3}))b').message).toContain('lookbehind');
    expect(errorOf('(?:a*|b)*').message).toContain('may match nothing');
    expect(errorOf('(?:(a)|b\\1)+').message).toContain('back-reference');
    expect(errorOf('(a*)??\\1').message).toContain('back-reference');
  });
});

describe('differences from Java', () => {
  it('finds no match inside a surrogate pair', () => {
    expect(replaced('x*', '😀', '-')).toBe('-😀-');
    expect(compileJavaRegex('').split('😀a')).toEqual(['😀', 'a']);
  });

  it('unsets groups at the start of each iteration', () => {
    expect(compileJavaRegex('(?:(a)|b)*').find('ab')?.groups).toEqual(['ab', undefined]);
  });

  it('compares a case-insensitive back-reference by Unicode', () => {
    expect(found('(?i)(é)\\1', 'éÉ')).toEqual(['éÉ']);
  });

  it('matches ß with its capital letter', () => {
    expect(found('(?iu)ß', 'ßẞ')).toEqual(['ß', 'ẞ']);
  });

  it('accepts any spelling of block names, and lookbehinds of any length', () => {
    expect(found('\\p{InGREEK_AND_COPTIC}', 'α')).toEqual(['α']);
    expect(found('(?<=\\d+\\w*?)b', '1ab')).toEqual(['b']);
  });
});

describe('properties', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '.', '\\', '$', '😀', '\n', '-', '(', '[', 'é') });

  it('a literal pattern is found at the position of its text', () => {
    fc.assert(
      fc.property(text, fc.string({ minLength: 1, maxLength: 3 }), text, (before, pattern, after) => {
        const regex = compileJavaRegex(pattern, { literal: true });
        const whole = before + pattern + after;
        expect(regex.find(whole)?.index).toBe(whole.indexOf(pattern));
        expect(regex.matches(pattern)).toBe(true);
        expect(regex.replaceAll(whole, parseJavaReplacement(''))).toBe(whole.replaceAll(pattern, ''));
      }),
    );
  });

  it('an escaped replacement is inserted unchanged', () => {
    fc.assert(
      fc.property(unicodeText(), (replacement) => {
        const escaped = replacement.replace(/[$\\]/g, '\\$&');
        expect(replaced('x', 'axb', escaped)).toBe(`a${replacement}b`);
      }),
    );
  });

  it('pieces and matches together equal the text', () => {
    const pattern = fc.constantFrom('a', '[ab]+', '\\.|b', 'a(b)?', '(?>a+)', '\\R', '.', '(?i)a', '\\W', '[^a]');
    fc.assert(
      fc.property(pattern, text, (source, whole) => {
        const regex = compileJavaRegex(source);
        const pieces = regex.split(whole);
        const matches = regex.findAll(whole);
        expect(pieces.at(-1) === '' && pieces.length > 1).toBe(false);
        const joined =
          matches.map((match, at) => (pieces[at] ?? '') + match.text).join('') + (pieces[matches.length] ?? '');
        expect(joined).toBe(whole);
      }),
    );
  });

  it('every text is a valid pattern or causes a JavaRegexError', () => {
    const notation = fc.constantFrom(
      ...[
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '*',
        '+',
        '?',
        '|',
        '^',
        '$',
        '.',
        '\\',
        '-',
        '&&',
        ',',
        '<',
        '>',
        ':',
        '=',
        '!',
      ],
      ...[
        'a',
        'b',
        '1',
        '0',
        'Q',
        'E',
        'p',
        'k',
        'u',
        'x',
        'i',
        '(?',
        '(?<',
        '\\p{L}',
        '\\1',
        'é',
        '😀',
        '\ud83d',
        ' ',
      ],
    );
    fc.assert(
      fc.property(fc.string({ unit: notation, maxLength: 12 }), fc.boolean(), (pattern, ignoreCase) => {
        try {
          expect(typeof compileJavaRegex(pattern, { ignoreCase }).test('ab1é😀')).toBe('boolean');
        } catch (error) {
          expect(error).toBeInstanceOf(JavaRegexError);
          expect((error as JavaRegexError).message).not.toContain('JavaScript engine');
        }
      }),
      { numRuns: 20 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});
