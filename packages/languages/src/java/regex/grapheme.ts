// Parts of an extended grapheme cluster (Unicode Standard Annex 29). JavaScript has the properties for emoji and
// combining marks. The other parts are ranges in this file.

const CONTROL =
  '[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF0-\\uFFFB\\u{E0000}-\\u{E001F}]';
const PREPENDED =
  '[\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u0D4E\\u{110BD}\\u{110CD}\\u{111C2}\\u{111C3}\\u{113D1}\\u{1193F}\\u{11941}\\u{11A84}-\\u{11A89}\\u{11D46}\\u{11F02}]';
const EXTENDING = '[\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200D]';
/** Spacing marks that are separate clusters. */
const LONE_MARK =
  '[\\u102B\\u102C\\u1038\\u1062-\\u1064\\u1067-\\u106D\\u1083\\u1087-\\u108C\\u108F\\u109A-\\u109C\\u1A61\\u1A63\\u1A64\\uAA7B\\uAA7D\\u{11720}\\u{11721}]';
const FOLLOWING = `(?:${EXTENDING}|[\\u0E33\\u0EB3]|(?!${LONE_MARK})\\p{Mc})`;

const LEADING = '[\\u1100-\\u115F\\uA960-\\uA97C]';
const VOWEL = '[\\u1160-\\u11A7\\uD7B0-\\uD7C6]';
const TRAILING = '[\\u11A8-\\u11FF\\uD7CB-\\uD7FB]';
/** Hangul syllables without a final consonant, which can be followed by a vowel. */
const openSyllables = Array.from({ length: 399 }, (_, at) => `\\u${(0xac00 + 28 * at).toString(16)}`).join('');
const SYLLABLE = `(?:[${openSyllables}]${VOWEL}*|(?![${openSyllables}])[\\uAC00-\\uD7A3])`;
const HANGUL = `${LEADING}*(?:${SYLLABLE}|${VOWEL}+)${TRAILING}*|${LEADING}+|${TRAILING}+`;

const FLAG = '\\p{Regional_Indicator}{2}';
const PICTURES = `\\p{Extended_Pictographic}(?:(?:(?!\\u200D)${EXTENDING})*\\u200D\\p{Extended_Pictographic})*`;
const CONSONANT =
  '[\\u0915-\\u0939\\u0958-\\u095F\\u0978-\\u097F\\u0995-\\u09A8\\u09AA-\\u09B0\\u09B2\\u09B6-\\u09B9\\u09DC\\u09DD\\u09DF\\u09F0\\u09F1\\u0A95-\\u0AA8\\u0AAA-\\u0AB0\\u0AB2\\u0AB3\\u0AB5-\\u0AB9\\u0AF9\\u0B15-\\u0B28\\u0B2A-\\u0B30\\u0B32\\u0B33\\u0B35-\\u0B39\\u0B5C\\u0B5D\\u0B5F\\u0B71\\u0C15-\\u0C28\\u0C2A-\\u0C39\\u0C58-\\u0C5A\\u0D15-\\u0D3A]';
const VIRAMA = '[\\u094D\\u09CD\\u0ACD\\u0B4D\\u0C4D\\u0D4D]';
const JOINER = '[\\p{Grapheme_Extend}\\u200D]';
const CONJUNCT = `${CONSONANT}(?:(?:(?!${VIRAMA})${JOINER})*${VIRAMA}${JOINER}*${CONSONANT})+`;

/** The JavaScript source of `\X`, an extended grapheme cluster. */
export const GRAPHEME_CLUSTER = `\\r\\n|${CONTROL}|${PREPENDED}*(?:${HANGUL}|${FLAG}|${PICTURES}|${CONJUNCT}|(?!${CONTROL})[^])${FOLLOWING}*`;
