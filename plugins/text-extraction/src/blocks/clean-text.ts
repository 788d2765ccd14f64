/**
 * Characters that no text has: controls without a meaning in text, halves of a surrogate pair, and noncharacters. A line
 * break of Word and a form feed are replaced before.
 */
const NO_TEXT = /[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]|\p{Cs}/gu;
const HAS_NO_TEXT = new RegExp(NO_TEXT.source, 'u');
/** A vertical tab, which is a line break of Word, a form feed, and the line break of mainframes. */
const LINE_BREAKS = /[\v\f\x85]/g;

/** Calls `onRemoved` for a text that had characters that no text has, and returns it without them. */
export function cleanText(text: string, onRemoved: (characters: readonly string[]) => void): string {
  const lines = text.replace(LINE_BREAKS, '\n');
  if (!HAS_NO_TEXT.test(lines)) return lines;
  const removed: string[] = [];
  const clean = lines.replace(NO_TEXT, (character) => {
    removed.push(character);
    return '';
  });
  onRemoved(removed);
  return clean;
}
