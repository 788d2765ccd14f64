import { highlightTree, type Tag, tagHighlighter, tags } from '@lezer/highlight';
import { expect, it } from 'vitest';
import { hocon } from './hocon-language.ts';

const STYLES: readonly [string, Tag][] = [
  ['key', tags.propertyName],
  ['text', tags.string],
  ['number', tags.number],
  ['bool', tags.bool],
  ['comment', tags.comment],
  ['reference', tags.special(tags.variableName)],
  ['keyword', tags.keyword],
];
const highlighter = tagHighlighter(STYLES.map(([name, tag]) => ({ tag, class: name })));

/** Returns the parts of a text that have a colour, each with its style. */
function parts(text: string): string[] {
  const found: string[] = [];
  highlightTree(hocon.parser.parse(text), highlighter, (from, to, style) => {
    found.push(`${style} ${text.slice(from, to)}`);
  });
  return found;
}

it('keys and values of JSON have their styles', () => {
  expect(parts('{"a": "b", "c": {"d": [1, -2.5e3, true, null, "e"]}, "f": false}')).toEqual([
    'key "a"',
    'text "b"',
    'key "c"',
    'key "d"',
    'number 1',
    'number -2.5e3',
    'bool true',
    'bool null',
    'text "e"',
    'key "f"',
    'bool false',
  ]);
});

it('keys and values of HOCON need no quotes and no commas', () => {
  expect(parts('# all\na.b = one two // end\nc: 7\nd { e += x }\nf = [g, {h: 1.2.3}]')).toEqual([
    'comment # all',
    'key a.b',
    'text one',
    'text two',
    'comment // end',
    'key c',
    'number 7',
    'key d',
    'key e',
    'text x',
    'key f',
    'text g',
    'key h',
    'text 1.2.3',
  ]);
});

it('substitutions, includes and texts over several lines have their styles', () => {
  expect(parts('include "a.conf"\nb = ${c}${?D}/x/y\ne = """one\n  # two "\n"""\nf = true')).toEqual([
    'keyword include',
    'key "a.conf"',
    'key b',
    'reference ${c}${?D}',
    'text /x/y',
    'key e',
    'text """one',
    'text   # two "',
    'text """',
    'key f',
    'bool true',
  ]);
});

it('a key after a list or an object is a key again, also without a line break', () => {
  expect(parts('{ a: [ {b: x}, {c: y} ], d: z }')).toEqual([
    'key a',
    'key b',
    'text x',
    'key c',
    'text y',
    'key d',
    'text z',
  ]);
});

it('words that begin like true, null or a number are texts', () => {
  expect(parts('a = trueish\nb = nullable\nc = 7up\nd = "a\\"b" #x')).toEqual([
    'key a',
    'text trueish',
    'key b',
    'text nullable',
    'key c',
    'text 7up',
    'key d',
    'text "a\\"b"',
    'comment #x',
  ]);
});
