import { type CharSet, char, complement, intersection, properties, ranges, setEscape, union } from './char-set.ts';
import { unicodeBlock } from './unicode-blocks.ts';

/** The flags that change the characters of a named class. */
export interface PropertyFlags {
  /** CASE_INSENSITIVE: classes of one letter case contain all cases. */
  readonly ignoreCase: boolean;
  /** UNICODE_CHARACTER_CLASS: the POSIX names and `\w \d \s` are defined by Unicode. */
  readonly unicodeClasses: boolean;
}

/** Creates a map, because names come from patterns, and an object would contain `constructor`. */
function named<T>(entries: Record<string, T>): ReadonlyMap<string, T> {
  return new Map(Object.entries(entries));
}

const GENERAL_CATEGORIES = new Set(
  'L M N Z C P S Lu Ll Lt Lm Lo Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cs Cn Pd Ps Pe Pc Po Sm Sc Sk So Pi Pf'.split(' '),
);
const CASED_CATEGORIES = new Set(['Lu', 'Ll', 'Lt']);

const ASCII_PUNCTUATION = ranges([0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]);
const ASCII_LOWER = ranges([0x61, 0x7a]);
const ASCII_UPPER = ranges([0x41, 0x5a]);
const ASCII_LETTERS = ranges([0x41, 0x5a], [0x61, 0x7a]);
const ASCII_SPACE = ranges([0x09, 0x0d], [0x20, 0x20]);
const ISO_CONTROL = ranges([0x00, 0x1f], [0x7f, 0x9f]);
const HORIZONTAL_SPACE = ranges(
  [0x09, 0x09],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
);
export const VERTICAL_SPACE = ranges([0x0a, 0x0d], [0x85, 0x85], [0x2028, 0x2029]);
/** White space of Java: the separators of Unicode, except no-break spaces, and control characters. */
const JAVA_WHITESPACE = ranges(
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x1680, 0x1680],
  [0x2000, 0x2006],
  [0x2008, 0x200a],
  [0x2028, 0x2029],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
);
/** Characters that Java ignores in identifiers. */
const IGNORABLE = union(ranges([0x00, 0x08], [0x0e, 0x1b], [0x7f, 0x9f]), properties('Cf'));

const ASCII_CLASSES = named<CharSet>({
  Lower: ASCII_LOWER,
  Upper: ASCII_UPPER,
  ASCII: ranges([0x00, 0x7f]),
  Alpha: ASCII_LETTERS,
  Digit: setEscape('\\d'),
  Alnum: ranges([0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a]),
  Punct: ASCII_PUNCTUATION,
  Graph: ranges([0x21, 0x7e]),
  Print: ranges([0x20, 0x7e]),
  Blank: ranges([0x09, 0x09], [0x20, 0x20]),
  Cntrl: ranges([0x00, 0x1f], [0x7f, 0x7f]),
  XDigit: ranges([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]),
  Space: ASCII_SPACE,
});

const NON_SPACE_UNASSIGNED = complement(properties('White_Space', 'Cc', 'Cs', 'Cn'));
const UNICODE_BLANK = union(ranges([0x09, 0x09]), properties('Zs'));
const UNICODE_WORD = properties('Alphabetic', 'M', 'Nd', 'Pc', 'Join_Control');

/** Unicode properties by Java's name in upper case, without `_`. */
const UNICODE_PROPERTIES = named<CharSet>({
  ALPHABETIC: properties('Alphabetic'),
  LETTER: properties('L'),
  IDEOGRAPHIC: properties('Ideographic'),
  LOWERCASE: properties('Lowercase'),
  UPPERCASE: properties('Uppercase'),
  TITLECASE: properties('Lt'),
  WHITESPACE: properties('White_Space'),
  CONTROL: properties('Cc'),
  PUNCTUATION: properties('P'),
  HEXDIGIT: properties('Nd', 'Hex_Digit'),
  ASSIGNED: complement(properties('Cn')),
  NONCHARACTERCODEPOINT: properties('Noncharacter_Code_Point'),
  DIGIT: properties('Nd'),
  ALNUM: properties('Alphabetic', 'Nd'),
  BLANK: UNICODE_BLANK,
  GRAPH: NON_SPACE_UNASSIGNED,
  PRINT: intersection(union(NON_SPACE_UNASSIGNED, UNICODE_BLANK), setEscape('\\P{Cc}')),
  WORD: UNICODE_WORD,
  JOINCONTROL: properties('Join_Control'),
  EMOJI: properties('Emoji'),
  EMOJIPRESENTATION: properties('Emoji_Presentation'),
  EMOJIMODIFIER: properties('Emoji_Modifier'),
  EMOJIMODIFIERBASE: properties('Emoji_Modifier_Base'),
  EMOJICOMPONENT: properties('Emoji_Component'),
  EXTENDEDPICTOGRAPHIC: properties('Extended_Pictographic'),
});

/** Names of Unicode properties in POSIX style: always as `\p{IsLower}`, and under the flag `U` as `\p{Lower}`. */
const POSIX_AS_UNICODE = named<string>({
  LOWER: 'LOWERCASE',
  UPPER: 'UPPERCASE',
  ALPHA: 'ALPHABETIC',
  PUNCT: 'PUNCTUATION',
  CNTRL: 'CONTROL',
  XDIGIT: 'HEXDIGIT',
  SPACE: 'WHITESPACE',
});

const JAVA_METHODS = named<CharSet>({
  LowerCase: properties('Lowercase'),
  UpperCase: properties('Uppercase'),
  Alphabetic: properties('Alphabetic'),
  Ideographic: properties('Ideographic'),
  TitleCase: properties('Lt'),
  Digit: properties('Nd'),
  Defined: complement(properties('Cn')),
  Letter: properties('L'),
  LetterOrDigit: properties('L', 'Nd'),
  JavaIdentifierStart: properties('L', 'Nl', 'Sc', 'Pc'),
  JavaIdentifierPart: union(properties('L', 'Nl', 'Sc', 'Pc', 'Nd', 'Mc', 'Mn'), IGNORABLE),
  UnicodeIdentifierStart: union(properties('ID_Start'), char(0x2e2f)),
  UnicodeIdentifierPart: union(properties('ID_Continue'), char(0x2e2f), IGNORABLE),
  IdentifierIgnorable: IGNORABLE,
  SpaceChar: properties('Z'),
  Whitespace: JAVA_WHITESPACE,
  ISOControl: ISO_CONTROL,
  Mirrored: properties('Bidi_Mirrored'),
});

const ANY_UNICODE_CASE = properties('Lowercase', 'Uppercase', 'Lt');
const ANY_CASED_CATEGORY = properties('Lu', 'Ll', 'Lt');

/** Returns the set of a name in Java's `\p{…}`, or undefined for a name that Java does not know. */
export function javaProperty(name: string, flags: PropertyFlags): CharSet | undefined {
  const equals = name.indexOf('=');
  if (equals >= 0) {
    const value = name.slice(equals + 1);
    switch (name.slice(0, equals).toLowerCase()) {
      case 'sc':
      case 'script':
        return script(value);
      case 'blk':
      case 'block':
        return block(value);
      case 'gc':
      case 'general_category':
        return plainProperty(value, flags);
      default:
        return undefined;
    }
  }
  if (name.startsWith('In')) return block(name.slice(2));
  if (name.startsWith('Is')) {
    const rest = name.slice(2);
    return unicodeProperty(rest.replace(/_/g, ''), flags) ?? plainProperty(rest, flags) ?? script(rest);
  }
  const goesByUnicode = flags.unicodeClasses && name !== 'ASCII' && ASCII_CLASSES.has(name);
  return goesByUnicode ? unicodeProperty(name, flags) : plainProperty(name, flags);
}

/** Returns the set of `\d`, `\w`, `\s`, `\h` or `\v` by its letter. */
export function predefinedClass(letter: 'd' | 'w' | 's' | 'h' | 'v', flags: PropertyFlags): CharSet {
  switch (letter) {
    case 'd':
      return flags.unicodeClasses ? properties('Nd') : setEscape('\\d');
    case 'w':
      return flags.unicodeClasses ? UNICODE_WORD : setEscape('\\w');
    case 's':
      return flags.unicodeClasses ? properties('White_Space') : ASCII_SPACE;
    case 'h':
      return HORIZONTAL_SPACE;
    case 'v':
      return VERTICAL_SPACE;
  }
}

function unicodeProperty(anyCase: string, flags: PropertyFlags): CharSet | undefined {
  const upper = anyCase.toUpperCase();
  const name = POSIX_AS_UNICODE.get(upper) ?? upper;
  if (flags.ignoreCase && (name === 'LOWERCASE' || name === 'UPPERCASE' || name === 'TITLECASE')) {
    return ANY_UNICODE_CASE;
  }
  return UNICODE_PROPERTIES.get(name);
}

function plainProperty(name: string, flags: PropertyFlags): CharSet | undefined {
  if (GENERAL_CATEGORIES.has(name)) {
    return flags.ignoreCase && CASED_CATEGORIES.has(name) ? ANY_CASED_CATEGORY : properties(name);
  }
  if (name.startsWith('java')) {
    const cased = name === 'javaLowerCase' || name === 'javaUpperCase' || name === 'javaTitleCase';
    return flags.ignoreCase && cased ? ANY_UNICODE_CASE : JAVA_METHODS.get(name.slice(4));
  }
  switch (name) {
    case 'LC':
      return ANY_CASED_CATEGORY;
    case 'LD':
      return properties('L', 'Nd');
    case 'L1':
      return ranges([0x00, 0xff]);
    case 'all':
      return properties('Any');
    case 'Lower':
    case 'Upper':
      return flags.ignoreCase ? ASCII_LETTERS : ASCII_CLASSES.get(name);
    default:
      return ASCII_CLASSES.get(name);
  }
}

function block(name: string): CharSet | undefined {
  const range = unicodeBlock(name);
  return range === undefined ? undefined : ranges(range);
}

/** Names of scripts with a capital inside a word. */
const ODD_SCRIPT_NAMES = named<string>({ signwriting: 'SignWriting' });

function script(name: string): CharSet | undefined {
  const lower = name.toLowerCase().replace(/ /g, '_');
  if (!/^[a-z_]+$/.test(lower)) return undefined;
  const canonical = ODD_SCRIPT_NAMES.get(lower) ?? lower.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
  const source = `\\p{Script=${canonical}}`;
  try {
    new RegExp(source, 'v');
  } catch {
    // The regular expression engine decides which scripts exist.
    return undefined;
  }
  return setEscape(source);
}
