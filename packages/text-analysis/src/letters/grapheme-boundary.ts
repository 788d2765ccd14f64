/** Created on first use, because that takes milliseconds in each thread. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the end of the last whole character within the first `limit` UTF-16 units of a text. A character is what a
 * reader sees: combining marks stay with their letter, and so do the parts of an emoji or a flag.
 */
export function graphemeFloor(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  // None of these characters joins another one. A line feed after a carriage return would.
  if (isPlain(text.charCodeAt(limit - 1)) && isPlain(text.charCodeAt(limit))) return limit;
  // Whether a position is a boundary depends on the text before it and on the one character after it.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text.slice(0, limit + 2)).containing(limit)?.index ?? limit;
}

function isPlain(code: number): boolean {
  return code >= 32 && code < 0x7f;
}
