const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The end of the last whole character, as readers see it, within the first `limit` UTF-16 units of a text: combining
 * marks stay with their letter, the parts of an emoji or a flag with each other.
 */
export function graphemeFloor(text: string, limit: number): number {
  if (limit >= text.length) return text.length;
  // Neither character joins another one. What follows a carriage return may: a line feed.
  if (isPlain(text.charCodeAt(limit - 1)) && isPlain(text.charCodeAt(limit))) return limit;
  // Whether there is a boundary follows from the text before it and the one character behind it.
  return segmenter.segment(text.slice(0, limit + 2)).containing(limit)?.index ?? limit;
}

function isPlain(code: number): boolean {
  return code >= 32 && code < 0x7f;
}
