import type { TextItem } from './pdf-layout.ts';

/** Letters that are written from right to left, also in their forms for printing. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const RIGHT_TO_LEFT_LETTERS = new RegExp(`(?=\\p{L})${RIGHT_TO_LEFT.source}`, 'gu');
const LETTERS = /\p{L}/gu;
const ARABIC = /[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/;
/** The forms of letters for printing, ligatures, and blanks of special widths, which a search does not find. */
const FORMS = /[\u00a0\u00b5\u037e\u0eb3\u2000-\u200a\u202f\u2126\ufb00-\ufb06\ufb1d-\ufdff\ufe70-\ufefc]/g;
/** A mark of the Arabic direction: the numbers after it are in an Arabic text. */
const ARABIC_MARK = '\u061c';

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}

export function hasLetters(text: string): boolean {
  return /\p{L}/u.test(text);
}

/** Returns whether most letters are written from right to left. */
export function isRightToLeft(items: readonly { readonly text: string }[]): boolean {
  const count = (pattern: RegExp) => items.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
  const rightToLeft = count(RIGHT_TO_LEFT_LETTERS);
  return rightToLeft > 0 && rightToLeft * 2 > count(LETTERS);
}

/** Returns a text with ordinary letters instead of their forms for printing. */
export function ordinaryLetters(text: string): string {
  // The forms of marks alone have a blank as their base.
  return text.replace(FORMS, (form) => {
    const ordinary = form.normalize('NFKC');
    return ordinary.length > 1 && ordinary.startsWith(' ') ? ordinary.slice(1) : ordinary;
  });
}

/** Returns the text of a line in the order in which it is read. The given text is in the order from left to right. */
export type Reorder = (visual: string, isRtl: boolean) => string;

/** The parts of bidi-js that are used. */
interface BidiLibrary {
  getEmbeddingLevels(text: string, direction: 'ltr' | 'rtl'): BidiLevels;
  getMirroredCharactersMap(text: string, levels: Uint8Array): Map<number, string>;
  getReorderedIndices(text: string, levels: BidiLevels): number[];
}

interface BidiLevels {
  readonly levels: Uint8Array;
}

/** Loads the algorithm that orders the text of lines. Texts without letters from right to left need none. */
export async function reorderFor(items: readonly TextItem[]): Promise<Reorder> {
  if (!items.some(({ text }) => hasRightToLeft(text))) return ordinaryLetters;
  // Its types are those of another kind of module.
  const { default: bidiFactory } = (await import('bidi-js')) as unknown as { default: () => BidiLibrary };
  const bidi = bidiFactory();
  return (visual, isRtl) => {
    // A line of numbers has the direction of the text around it.
    if (!hasRightToLeft(visual) && (!isRtl || hasLetters(visual))) return ordinaryLetters(visual);
    // The algorithm is its own inverse, except that a number follows the letters before it, which are to its right.
    const prefix = isRtl && ARABIC.test(visual) ? ARABIC_MARK : '';
    const text = prefix + visual;
    const levels = bidi.getEmbeddingLevels(text, isRtl ? 'rtl' : 'ltr');
    const mirrored = bidi.getMirroredCharactersMap(text, levels.levels);
    const order = bidi.getReorderedIndices(text, levels);
    const write = (characterAt: (index: number) => string) => order.map(characterAt).join('').replace(ARABIC_MARK, '');
    const original = write((index) => text[index] as string);
    const withMirrors = write((index) => mirrored.get(index) ?? (text[index] as string));
    // Some files name a bracket by its meaning, not by its form.
    const ordered = balance(original) > 0 && balance(withMirrors) < 0 ? original : withMirrors;
    return marksAfterLetters(ordinaryLetters(ordered.replace(/([\udc00-\udfff])([\ud800-\udbff])/g, '$2$1')));
  };
}

/** Returns how many brackets are closed after they were opened, less those that are not. */
function balance(text: string): number {
  let open = 0;
  let pairs = 0;
  for (const character of text) {
    if ('([{'.includes(character)) open++;
    else if (')]}'.includes(character)) {
      pairs += open > 0 ? 1 : -1;
      open = Math.max(0, open - 1);
    }
  }
  return pairs;
}

/** Some files write the marks of a letter before it. Then a word begins with a mark. */
function marksAfterLetters(text: string): string {
  return /(^|\s)\p{Mn}+\p{L}/u.test(text) ? text.replace(/(\p{Mn}+)(\p{L})/gu, '$2$1') : text;
}
