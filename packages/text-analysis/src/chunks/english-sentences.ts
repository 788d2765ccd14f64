/** Matches the end of a sentence: a mark, and closing quotes and brackets after it, before white space. */
const SENTENCE_END = /[.!?](["'”’»)\]}]*)(?=(\s+))/gu;
const CLOSING_QUOTE = /["'”’»]$/u;
const WORD = /\S+/uy;
const WHITE_SPACE = /\s/u;
const OPENING = /^["'“‘«([{¿¡-]+/u;

/** Titles and similar words. The next word belongs to them, with or without a capital. */
const BEFORE_NAMES: ReadonlySet<string> = new Set(
  `adm asst atty brig capt cdr cmdr col cpl det dr drs ens fr gen gov hon insp lt maj messrs mlle mme mr mrs ms msgr mt
  mx pfc pres prof pvt rep reps rev sen sens sgt sr st ste supt
  art cf ch ed eds eq eqs fig figs no nos nr op p para pp ref refs sec vol vols viz vs v e.g i.e approx ca dept est`
    .trim()
    .split(/\s+/),
);

/** Abbreviations in the middle or at the end of a sentence. The next word decides. */
const ANYWHERE: ReadonlySet<string> = new Set(
  `al assn assoc ave blvd bros co corp dist etc ext ft hrs hwy inc intl jr kg km lb lbs ltd max min mfg misc mph natl oz
  rd sq tel univ
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun a.m p.m ph.d m.d b.a m.a
  u.s u.k u.n e.u d.c`
    .trim()
    .split(/\s+/),
);

/** Words that usually begin a sentence if they have a capital. */
const STARTERS: ReadonlySet<string> = new Set(
  `a after all also although an and another any as at because before both but by despite during each even every few first
  for from he her here his how however i if in instead it its last later many meanwhile moreover most my no not now of
  on once one only or other our over people she since so some still such that the their then there these they this those
  though thus to today two under until we were what when where whether which while who why with yet you your`
    .trim()
    .split(/\s+/),
);

/**
 * Returns the sentences of an English text in order, without the white space around them. A sentence ends after a word
 * (a run without white space) that ends in `.`, `!` or `?`, with optional closing quotes and brackets. A full stop
 * after an abbreviation, an initial or a number does not end a sentence. Line breaks are normal white space, and full
 * stops of other scripts do not count. In ordinary prose, the result equals that of the model of the reference (OpenNLP
 * for English).
 */
export function englishSentences(text: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (const { index, 0: end, 1: closing, 2: space } of text.matchAll(SENTENCE_END)) {
    const wordStart = wordStartBefore(text, index, start);
    const isFirst = text.slice(start, wordStart).trim() === '';
    WORD.lastIndex = index + end.length + (space as string).length;
    const next = WORD.exec(text)?.[0];
    if (next === undefined) break;
    if (!endsSentence(text.slice(wordStart, index), text.charAt(index), closing as string, next, isFirst)) continue;
    sentences.push(text.slice(start, index + end.length).trim());
    start = index + end.length;
  }
  const rest = text.slice(start).trim();
  if (rest !== '') sentences.push(rest);
  return sentences;
}

function wordStartBefore(text: string, end: number, limit: number): number {
  let start = end;
  while (start > limit && !WHITE_SPACE.test(text.charAt(start - 1))) start--;
  return start;
}

/**
 * Returns whether a sentence ends between two words.
 * @param word without its mark
 * @param closing the quotes and brackets after the mark
 * @param isFirst whether the word begins the sentence
 */
function endsSentence(word: string, mark: string, closing: string, next: string, isFirst: boolean): boolean {
  const following = next.replace(OPENING, '');
  const goesOnSmall = /^\p{Ll}/u.test(following);
  if (mark !== '.') return !(goesOnSmall && CLOSING_QUOTE.test(closing));

  const core = word.replace(OPENING, '');
  const isDotted = core.includes('.');
  // After an ellipsis, a small letter continues the sentence.
  if (core.endsWith('.')) return !goesOnSmall;
  if (isFirst && /^(?:\d+|\p{L})$/u.test(core)) return false;
  const lower = core.toLowerCase();
  if (lower === 'no' && !/^\d/.test(following)) return !goesOnSmall;
  if (BEFORE_NAMES.has(lower)) return false;
  if (ANYWHERE.has(lower) || (isDotted && /^(?:\p{L}\.)+\p{L}$/u.test(core))) return startsSentence(following);
  // An initial, or the pronoun "I".
  if (/^\p{Lu}$/u.test(core)) return core === 'I' && startsSentence(following);
  return !goesOnSmall || /^\p{L}{3,}$/u.test(core);
}

/** Returns whether a word occurs almost only at the start of a sentence. */
function startsSentence(word: string): boolean {
  if (!/^\p{Lu}/u.test(word)) return false;
  return STARTERS.has((/^\p{L}+/u.exec(word)?.[0] ?? '').toLowerCase());
}
