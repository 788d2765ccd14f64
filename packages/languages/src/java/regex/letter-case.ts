import { type CharSet, char, type Range, ranges } from './char-set.ts';

/**
 * The letters that are equal: only identical letters, ASCII letters of both cases (Java's CASE_INSENSITIVE), or all
 * letters of both cases (with UNICODE_CASE).
 */
export type CaseRule = 'exact' | 'ascii' | 'unicode';

/** Returns the code points equal to one code point. */
export function equalChars(codePoint: number, rule: CaseRule): CharSet {
  if (rule === 'ascii' && isAsciiLetter(codePoint)) {
    return ranges([codePoint & ~0x20, codePoint & ~0x20], [codePoint | 0x20, codePoint | 0x20]);
  }
  if (rule === 'unicode') {
    const folded = fold(codePoint);
    const others = casedCodePoints().filter((other) => other !== codePoint && fold(other) === folded);
    return ranges([codePoint, codePoint], ...others.map((other): Range => [other, other]));
  }
  return char(codePoint);
}

/** Returns the code points equal to any of a range. */
export function equalRange(low: number, high: number, rule: CaseRule): CharSet {
  const within = (codePoint: number) => codePoint >= low && codePoint <= high;
  const added: Range[] = [];
  if (rule === 'ascii') {
    for (let upper = 0x41; upper <= 0x5a; upper++) {
      if (within(upper) !== within(upper | 0x20)) added.push([upper, upper], [upper | 0x20, upper | 0x20]);
    }
  } else if (rule === 'unicode') {
    for (const other of casedCodePoints()) {
      if (!within(other) && (within(toUpper(other)) || within(fold(other)))) added.push([other, other]);
    }
  }
  return ranges([low, high], ...added);
}

function isAsciiLetter(codePoint: number): boolean {
  const lower = codePoint | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Returns the lower case of the upper case of a character, which Java compares under UNICODE_CASE. */
function fold(codePoint: number): number {
  return toLower(toUpper(codePoint));
}

function toUpper(codePoint: number): number {
  return singleOr(codePoint, String.fromCodePoint(codePoint).toUpperCase());
}

function toLower(codePoint: number): number {
  // Only for this letter the full lower case has two characters, but the simple lower case has one.
  if (codePoint === 0x130) return 0x69;
  return singleOr(codePoint, String.fromCodePoint(codePoint).toLowerCase());
}

function singleOr(otherwise: number, text: string): number {
  const codePoint = text.codePointAt(0)!;
  return String.fromCodePoint(codePoint).length === text.length ? codePoint : otherwise;
}

let cased: readonly number[] | undefined;

function casedCodePoints(): readonly number[] {
  if (cased === undefined) {
    const found = new Set<number>();
    for (let codePoint = 0; codePoint < 0x20000; codePoint++) {
      const [upper, lower] = [toUpper(codePoint), toLower(codePoint)];
      // Adds both forms. Some lower-case letters have an upper case of two characters, but are the lower case of
      // another letter.
      if (upper !== codePoint || lower !== codePoint) found.add(codePoint).add(lower);
    }
    cased = [...found];
  }
  return cased;
}
