/**
 * Scripts whose marks are accents, points and other signs that are not essential. In other scripts, mostly of South and
 * Southeast Asia, marks are vowels, and words without them are not valid.
 */
const ACCENTED = [
  'Common',
  'Inherited',
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Coptic',
  'Glagolitic',
  'Hebrew',
  'Arabic',
  'Syriac',
  'Samaritan',
  'Nko',
  'Ethiopic',
  'Han',
  'Hiragana',
  'Katakana',
  'Bopomofo',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

let keptPattern: RegExp | undefined;

/**
 * Returns a pattern for characters to keep: emoji, whose selectors and key caps are marks and which may represent
 * letters (™), and runs of the other scripts. The first call compiles it, because that takes a millisecond in each
 * thread.
 */
function kept(): RegExp {
  keptPattern ??= new RegExp(
    `\\p{Emoji}[\\uFE0E\\uFE0F]\\u20E3?|[#*0-9]\\u20E3|\\p{Emoji_Presentation}|[[\\p{L}\\p{M}]--[${ACCENTED}]]+`,
    'gv',
  );
  return keptPattern;
}

/**
 * Matches characters outside the usual ones. The usual ones contain nothing to keep: letters up to Arabic, punctuation,
 * Chinese and Japanese.
 */
const UNUSUAL = /[^\0-\u06ff\u1e00-\u20cf\u3000-\u302d\u3030-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uff9f]/;
const BEYOND_ASCII = /[^\0-\x7f]/;
const MARKS = /\p{M}/gu;

/**
 * Returns the text without diacritics: compatibility forms are resolved (Unicode's NFKD), then all marks removed.
 * Emoji, Hangul and scripts in which marks are vowels are unchanged.
 */
export function removeDiacritics(text: string): string {
  if (!UNUSUAL.test(text)) return strip(text);
  let result = '';
  let at = 0;
  for (const { 0: part, index } of text.matchAll(kept())) {
    result += strip(text.slice(at, index)) + part;
    at = index + part.length;
  }
  return result + strip(text.slice(at));
}

function strip(text: string): string {
  return BEYOND_ASCII.test(text) ? text.normalize('NFKD').replace(MARKS, '') : text;
}
