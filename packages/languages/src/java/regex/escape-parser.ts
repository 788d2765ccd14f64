import { type CharSet, complement } from './char-set.ts';
import type { Flags } from './flags.ts';
import { code, END, type PatternReader } from './pattern-reader.ts';
import { javaProperty, predefinedClass } from './properties.ts';

/**
 * Reads the rest of an escape for a set, inside or outside brackets: `\d`, `\H`, `\p{L}`. The reader is after the
 * letter. Returns undefined if the letter begins no such escape.
 */
export function parseClassEscape(reader: PatternReader, letter: number, flags: Flags): CharSet | undefined {
  const character = String.fromCodePoint(letter);
  switch (character) {
    case 'd':
    case 'w':
    case 's':
    case 'h':
    case 'v':
      return predefinedClass(character, flags);
    case 'D':
    case 'W':
    case 'S':
    case 'H':
    case 'V':
      return complement(predefinedClass(character.toLowerCase() as 'd' | 'w' | 's' | 'h' | 'v', flags));
    case 'p':
      return parseProperty(reader, flags);
    case 'P':
      return complement(parseProperty(reader, flags));
    default:
      return undefined;
  }
}

function parseProperty(reader: PatternReader, flags: Flags): CharSet {
  const start = reader.position;
  reader.skipComments();
  let name = '';
  if (reader.take('{')) {
    while (reader.peek() !== code('}')) {
      if (reader.peek() === END) throw reader.error('the name in \\p{…} has no closing }');
      name += String.fromCodePoint(reader.plain(reader.next()));
    }
    reader.next();
    if (flags.comments) name = name.replace(/\s/g, '');
    if (name === '') throw reader.error('\\p{} needs the name of a property', start);
  } else if (reader.peek() === END) {
    throw reader.error('\\p needs the name of a property');
  } else {
    name = String.fromCodePoint(reader.plain(reader.next()));
  }
  const set = javaProperty(name, flags);
  if (set === undefined) {
    throw reader.error(
      `\\p{${name}} is not a property; write a category (\\p{L}), a script (\\p{IsLatin}), a block (\\p{InGreek}) or a POSIX class (\\p{Alpha})`,
      start,
    );
  }
  return set;
}

const CONTROL_LETTERS: ReadonlyMap<number, number> = new Map([
  [code('a'), 0x07],
  [code('e'), 0x1b],
  [code('f'), 0x0c],
  [code('n'), 0x0a],
  [code('r'), 0x0d],
  [code('t'), 0x09],
]);

/**
 * Reads the rest of an escape for one character, inside or outside brackets. The reader is after the character that
 * follows the backslash.
 * @throws JavaRegexError for a letter without a meaning in Java, and for `\N{…}`
 */
export function parseCharEscape(reader: PatternReader, letter: number, start: number): number {
  const control = CONTROL_LETTERS.get(letter);
  if (control !== undefined) return control;
  switch (String.fromCodePoint(letter)) {
    case '0':
      return octal(reader, start);
    case 'x':
      return hexadecimal(reader, start);
    case 'u':
      return utf16(reader, start);
    case 'c':
      if (reader.peek() === END) throw reader.error('\\c needs a character after it', start);
      return reader.plain(reader.next()) ^ 0x40;
    case 'N':
      throw reader.error('\\N{…} (a character by its name) is not supported; write \\x{…} with its code point', start);
  }
  if (/^[A-Za-z0-9]$/.test(String.fromCodePoint(letter))) {
    throw reader.error(`\\${String.fromCodePoint(letter)} has no meaning here; write the letter without \\`, start);
  }
  return letter;
}

function octal(reader: PatternReader, start: number): number {
  let value = 0;
  let digits = 0;
  for (; digits < 3; digits++) {
    const digit = reader.peek() - 0x30;
    if (digit < 0 || digit > 7 || value * 8 + digit > 0o377) break;
    value = value * 8 + digit;
    reader.next();
  }
  if (digits === 0) throw reader.error('\\0 needs one to three octal digits after it', start);
  return value;
}

function hexadecimal(reader: PatternReader, start: number): number {
  if (!reader.take('{')) return hexDigits(reader, 2, '\\x needs two hexadecimal digits, or \\x{…}', start);
  let digits = '';
  while (/^[0-9A-Fa-f]$/.test(charAt(reader))) digits += String.fromCodePoint(reader.next());
  if (digits === '' || !reader.take('}')) throw reader.error('\\x{…} needs hexadecimal digits and a closing }', start);
  const value = Number.parseInt(digits, 16);
  if (value > 0x10ffff) throw reader.error(`\\x{${digits}} is beyond the last code point, 10FFFF`, start);
  return value;
}

function utf16(reader: PatternReader, start: number): number {
  const problem = '\\u needs four hexadecimal digits';
  const unit = hexDigits(reader, 4, problem, start);
  // Two escapes of a surrogate pair are one character.
  if (unit >= 0xd800 && unit <= 0xdbff && reader.peek() === code('\\') && reader.peek(1) === code('u')) {
    let low = '';
    for (let ahead = 2; ahead < 6; ahead++) low += charAt(reader, ahead);
    if (/^[Dd][C-Fc-f][0-9A-Fa-f]{2}$/.test(low)) {
      reader.take(`\\u${low}`);
      return 0x10000 + ((unit & 0x3ff) << 10) + (Number.parseInt(low, 16) & 0x3ff);
    }
  }
  return unit;
}

function hexDigits(reader: PatternReader, count: number, problem: string, start: number): number {
  let digits = '';
  for (; digits.length < count; reader.next()) {
    const digit = charAt(reader);
    if (!/^[0-9A-Fa-f]$/.test(digit)) throw reader.error(problem, start);
    digits += digit;
  }
  return Number.parseInt(digits, 16);
}

function charAt(reader: PatternReader, ahead = 0): string {
  const codePoint = reader.peek(ahead);
  return codePoint === END ? '' : String.fromCodePoint(reader.plain(codePoint));
}
