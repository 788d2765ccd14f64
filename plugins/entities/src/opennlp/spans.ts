import { isAlphabetic, isDigit, isWhitespace } from './java-characters.ts';

/** A part of a text or of a list, from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns the parts of a text between white space. */
export function splitAtSpace(text: string): Span[] {
  const spans: Span[] = [];
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    if (i === text.length || isWhitespace(text.charAt(i))) {
      if (start >= 0) spans.push({ start, end: i });
      start = -1;
    } else if (start < 0) start = i;
  }
  return spans;
}

/** Returns the parts of a token as SimpleTokenizer of OpenNLP: letters, digits, or a repeated other character. */
export function splitByKind(token: string): string[] {
  const parts: string[] = [];
  let before = '';
  for (let i = 0; i < token.length; i++) {
    const unit = token.charAt(i);
    const kind = isWhitespace(unit) ? '' : isAlphabetic(unit) ? 'letter' : isDigit(unit) ? 'digit' : unit;
    if (kind === '') before = '';
    else if (kind === before) parts[parts.length - 1] += unit;
    else parts.push(unit);
    before = kind;
  }
  return parts;
}
