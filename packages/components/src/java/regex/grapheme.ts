/**
 * JavaScript source that matches one extended grapheme cluster (Unicode Standard Annex 29) at the start of one. The
 * rules that need more than the properties JavaScript knows (prepended marks, Indic conjuncts) go by ranges or by the
 * virama.
 */
const CONTROL =
  '[\\p{Cc}\\p{Zl}\\p{Zp}\\u00AD\\u061C\\u180E\\u200B\\u200E\\u200F\\u2028-\\u202E\\u2060-\\u206F\\uFEFF\\uFFF0-\\uFFFB\\u{E0000}\\u{E0001}]';
const EXTEND = '[\\p{Grapheme_Extend}\\p{Emoji_Modifier}\\u200D\\p{Mc}\\u0E33\\u0EB3]';
const HANGUL =
  '(?:[\\u1100-\\u115F\\uA960-\\uA97C]*(?:[\\uAC00-\\uD7A3][\\u1160-\\u11A7\\uD7B0-\\uD7C6]*|[\\u1160-\\u11A7\\uD7B0-\\uD7C6]+)[\\u11A8-\\u11FF\\uD7CB-\\uD7FB]*|[\\u1100-\\u115F\\uA960-\\uA97C]+|[\\u11A8-\\u11FF\\uD7CB-\\uD7FB]+)';
const FLAG = '\\p{Regional_Indicator}{2}';
const PICTURE =
  '\\p{Extended_Pictographic}(?:[\\p{Grapheme_Extend}\\p{Emoji_Modifier}]*\\u200D\\p{Extended_Pictographic})*';
const CONJUNCT =
  '\\p{Lo}(?:[\\p{Grapheme_Extend}\\u200D]*[\\u094D\\u09CD\\u0ACD\\u0B4D\\u0C4D\\u0D4D][\\p{Grapheme_Extend}\\u200D]*\\p{Lo})+';

export const GRAPHEME_CLUSTER = `(?:\\r\\n|${CONTROL}|(?:${HANGUL}|${FLAG}|${PICTURE}|${CONJUNCT}|[^])${EXTEND}*)`;
