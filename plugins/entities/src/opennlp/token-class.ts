/**
 * Returns the class of a token, such as `ic` for one that begins with a capital letter: FeatureGeneratorUtil and
 * StringPattern of OpenNLP.
 */
export function tokenClass(token: string): string {
  const found = classes.get(token);
  if (found !== undefined) return found;
  const result = classify(token);
  // The class of a token is asked about ten times, for the windows around it.
  if (classes.size === MAX_CLASSES) classes.clear();
  classes.set(token, result);
  return result;
}

const classes = new Map<string, string>();
const MAX_CLASSES = 5000;

const CAPITAL_AND_PERIOD = /^[A-ZÄÖÜ]\.$/;
/** Marks that Unicode counts as common to all scripts, but that words in hiragana and katakana contain. */
const JAPANESE_MARKS = /[・ー〜]/;

function classify(token: string): string {
  const units = token.split('');
  const isLetter = units.map((unit) => /\p{L}/u.test(unit));
  const isUpper = units.map((unit) => /\p{Lu}/u.test(unit));
  const allLetters = isLetter.every(Boolean);
  const digits = units.filter((unit) => /\p{Nd}/u.test(unit)).length;
  const { hiragana, katakana, han } = scriptsOf(token);
  if (hiragana) return 'jah';
  if (katakana) return 'jak';
  if (allLetters && !isUpper.some(Boolean) && !han) return 'lc';
  if (digits === 2) return '2d';
  if (digits === 4) return '4d';
  if (digits > 0) {
    if (isLetter.some(Boolean)) return 'an';
    if (token.includes('-')) return 'dd';
    if (token.includes('/')) return 'ds';
    if (token.includes(',')) return 'dc';
    return token.includes('.') ? 'dp' : 'num';
  }
  if (allLetters && isUpper.every(Boolean)) return token.length === 1 ? 'sc' : 'ac';
  if (CAPITAL_AND_PERIOD.test(token)) return 'cp';
  return isUpper[0] === true ? 'ic' : 'other';
}

/** `han` is true if a character forbids the class `lc` because of its script. */
function scriptsOf(token: string): { hiragana: boolean; katakana: boolean; han: boolean } {
  let hiragana = true;
  let katakana = true;
  let han = false;
  for (let i = 0; i < token.length; i++) {
    const character = String.fromCodePoint(token.codePointAt(i) as number);
    if (/\p{Script=Latin}/u.test(character) || /\p{Nd}/u.test(token.charAt(i))) hiragana = katakana = false;
    else if (/\p{Script=Han}/u.test(character)) {
      hiragana = katakana = false;
      han = true;
    } else if (/\p{Script=Hiragana}/u.test(character)) {
      katakana = false;
      han = true;
    } else if (/\p{Script=Katakana}/u.test(character)) {
      hiragana = false;
      han = true;
    } else if (/\p{Script=Common}/u.test(character) && !JAPANESE_MARKS.test(character)) hiragana = katakana = false;
  }
  return { hiragana, katakana, han };
}
