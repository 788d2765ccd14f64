import { type CharSet, intersection, native, ranges, union } from './char-set.ts';
import { unicodeBlock } from './unicode-blocks.ts';

/** The flags that change what a named class holds. */
export interface PropertyFlags {
  /** CASE_INSENSITIVE: classes of one letter case hold all cases. */
  readonly ignoreCase: boolean;
  /** UNICODE_CHARACTER_CLASS: the POSIX names and `\w \d \s` go by Unicode. */
  readonly unicodeClasses: boolean;
}

/** A map, because names come from patterns and an object has `constructor`. */
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
/** Characters that Java ignores in identifiers. */
const IGNORABLE = union(ranges([0x00, 0x08], [0x0e, 0x1b], [0x7f, 0x9f]), native('\\p{Cf}'));

const ASCII_CLASSES = named<CharSet>({
  Lower: ASCII_LOWER,
  Upper: ASCII_UPPER,
  ASCII: ranges([0x00, 0x7f]),
  Alpha: ASCII_LETTERS,
  Digit: native('\\d'),
  Alnum: ranges([0x30, 0x39], [0x41, 0x5a], [0x61, 0x7a]),
  Punct: ASCII_PUNCTUATION,
  Graph: ranges([0x21, 0x7e]),
  Print: ranges([0x20, 0x7e]),
  Blank: ranges([0x09, 0x09], [0x20, 0x20]),
  Cntrl: ranges([0x00, 0x1f], [0x7f, 0x7f]),
  XDigit: ranges([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]),
  Space: ASCII_SPACE,
});

const NON_SPACE_UNASSIGNED = native('[^\\p{White_Space}\\p{Cc}\\p{Cs}\\p{Cn}]');
const UNICODE_BLANK = native('[\\p{White_Space}--[\\p{Zl}\\p{Zp}\\n-\\r\\x85]]');
const UNICODE_WORD = native('[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]');

/** Unicode properties by Java's name in upper case, without `_`. The POSIX names mean these under the flag `U`. */
const UNICODE_PROPERTIES = named<CharSet>({
  ALPHABETIC: native('\\p{Alphabetic}'),
  ALPHA: native('\\p{Alphabetic}'),
  LETTER: native('\\p{L}'),
  IDEOGRAPHIC: native('\\p{Ideographic}'),
  LOWERCASE: native('\\p{Lowercase}'),
  UPPERCASE: native('\\p{Uppercase}'),
  TITLECASE: native('\\p{Lt}'),
  WHITESPACE: native('\\p{White_Space}'),
  CONTROL: native('\\p{Cc}'),
  PUNCTUATION: native('\\p{P}'),
  HEXDIGIT: native('[\\p{Nd}\\p{Hex_Digit}]'),
  ASSIGNED: native('\\P{Cn}'),
  NONCHARACTERCODEPOINT: native('\\p{Noncharacter_Code_Point}'),
  DIGIT: native('\\p{Nd}'),
  ALNUM: native('[\\p{Alphabetic}\\p{Nd}]'),
  BLANK: UNICODE_BLANK,
  GRAPH: NON_SPACE_UNASSIGNED,
  PRINT: intersection(union(NON_SPACE_UNASSIGNED, UNICODE_BLANK), native('\\P{Cc}')),
  WORD: UNICODE_WORD,
  JOINCONTROL: native('\\p{Join_Control}'),
  EMOJI: native('\\p{Emoji}'),
  EMOJIPRESENTATION: native('\\p{Emoji_Presentation}'),
  EMOJIMODIFIER: native('\\p{Emoji_Modifier}'),
  EMOJIMODIFIERBASE: native('\\p{Emoji_Modifier_Base}'),
  EMOJICOMPONENT: native('\\p{Emoji_Component}'),
  EXTENDEDPICTOGRAPHIC: native('\\p{Extended_Pictographic}'),
});

const POSIX_AS_UNICODE = named<string>({
  Lower: 'LOWERCASE',
  Upper: 'UPPERCASE',
  Alpha: 'ALPHABETIC',
  Digit: 'DIGIT',
  Alnum: 'ALNUM',
  Punct: 'PUNCTUATION',
  Graph: 'GRAPH',
  Print: 'PRINT',
  Blank: 'BLANK',
  Cntrl: 'CONTROL',
  XDigit: 'HEXDIGIT',
  Space: 'WHITESPACE',
});

const JAVA_METHODS = named<CharSet>({
  LowerCase: native('\\p{Lowercase}'),
  UpperCase: native('\\p{Uppercase}'),
  Alphabetic: native('\\p{Alphabetic}'),
  Ideographic: native('\\p{Ideographic}'),
  TitleCase: native('\\p{Lt}'),
  Digit: native('\\p{Nd}'),
  Defined: native('\\P{Cn}'),
  Letter: native('\\p{L}'),
  LetterOrDigit: native('[\\p{L}\\p{Nd}]'),
  JavaIdentifierStart: native('[\\p{L}\\p{Nl}\\p{Sc}\\p{Pc}]'),
  JavaIdentifierPart: union(native('[\\p{L}\\p{Nl}\\p{Sc}\\p{Pc}\\p{Nd}\\p{Mc}\\p{Mn}]'), IGNORABLE),
  UnicodeIdentifierStart: native('\\p{ID_Start}'),
  UnicodeIdentifierPart: union(native('\\p{ID_Continue}'), IGNORABLE),
  IdentifierIgnorable: IGNORABLE,
  SpaceChar: native('\\p{Z}'),
  Whitespace: union(native('[\\p{Z}--[\\xA0\\u2007\\u202F]]'), ranges([0x09, 0x0d], [0x1c, 0x1f])),
  ISOControl: ISO_CONTROL,
  Mirrored: native('\\p{Bidi_Mirrored}'),
});

const ANY_UNICODE_CASE = native('[\\p{Lowercase}\\p{Uppercase}\\p{Lt}]');
const ANY_CASED_CATEGORY = native('[\\p{Lu}\\p{Ll}\\p{Lt}]');

/** What stands in the braces of Java's `\p{…}`; undefined when Java knows no such name. */
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
    return unicodeProperty(rest.toUpperCase().replace(/_/g, ''), flags) ?? plainProperty(rest, flags) ?? script(rest);
  }
  const posix = flags.unicodeClasses ? POSIX_AS_UNICODE.get(name) : undefined;
  return posix === undefined ? plainProperty(name, flags) : unicodeProperty(posix, flags);
}

/** `\d`, `\w`, `\s`, `\h`, `\v` by their letter. */
export function predefinedClass(letter: 'd' | 'w' | 's' | 'h' | 'v', flags: PropertyFlags): CharSet {
  switch (letter) {
    case 'd':
      return flags.unicodeClasses ? native('\\p{Nd}') : native('\\d');
    case 'w':
      return flags.unicodeClasses ? UNICODE_WORD : native('\\w');
    case 's':
      return flags.unicodeClasses ? native('\\p{White_Space}') : ASCII_SPACE;
    case 'h':
      return native('[\\t \\xA0\\u1680\\u180E\\u2000-\\u200A\\u202F\\u205F\\u3000]');
    case 'v':
      return native('[\\n-\\r\\x85\\u2028\\u2029]');
  }
}

function unicodeProperty(name: string, flags: PropertyFlags): CharSet | undefined {
  if (flags.ignoreCase && (name === 'LOWERCASE' || name === 'UPPERCASE' || name === 'TITLECASE')) {
    return ANY_UNICODE_CASE;
  }
  return UNICODE_PROPERTIES.get(name);
}

function plainProperty(name: string, flags: PropertyFlags): CharSet | undefined {
  if (GENERAL_CATEGORIES.has(name)) {
    return flags.ignoreCase && CASED_CATEGORIES.has(name) ? ANY_CASED_CATEGORY : native(`\\p{${name}}`);
  }
  if (name.startsWith('java')) {
    const cased = name === 'javaLowerCase' || name === 'javaUpperCase' || name === 'javaTitleCase';
    return flags.ignoreCase && cased ? ANY_UNICODE_CASE : JAVA_METHODS.get(name.slice(4));
  }
  switch (name) {
    case 'LC':
      return ANY_CASED_CATEGORY;
    case 'LD':
      return native('[\\p{L}\\p{Nd}]');
    case 'L1':
      return ranges([0x00, 0xff]);
    case 'all':
      return native('\\p{Any}');
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

/** Scripts whose names are not written with a capital at the start of each word alone. */
const ODD_SCRIPT_NAMES = named<string>({ signwriting: 'SignWriting' });

function script(name: string): CharSet | undefined {
  const lower = name.toLowerCase().replace(/ /g, '_');
  if (!/^[a-z_]+$/.test(lower)) return undefined;
  const canonical = ODD_SCRIPT_NAMES.get(lower) ?? lower.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
  const source = `\\p{Script=${canonical}}`;
  try {
    new RegExp(source, 'v');
  } catch {
    // Only the engine knows its list of scripts.
    return undefined;
  }
  return native(source);
}
