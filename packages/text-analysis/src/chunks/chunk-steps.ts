import { graphemeFloor } from '../letters/grapheme-boundary.ts';
import { trim } from './trim.ts';

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Slices of a text, each of so many UTF-16 units, or a few fewer where that would cut a character. */
export function fixedChunks(text: string, length: number): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const chunk = cut(text.slice(start, start + length + 2), length);
    chunks.push(chunk);
    start += chunk.length;
  }
  return chunks;
}

/** Each line break, with the white space around it, as one blank; white space at the ends goes. */
export function withoutLineBreaks(chunk: string): string {
  let cleaned = '';
  let copied = 0;
  for (const { index, 0: lineBreak } of chunk.matchAll(LINE_BREAK)) {
    // One that the white space behind another has taken.
    if (index < copied) continue;
    let before = index;
    while (before > copied && isSpace(chunk.charCodeAt(before - 1))) before--;
    let behind = index + lineBreak.length;
    while (isSpace(chunk.charCodeAt(behind))) behind++;
    cleaned += `${chunk.slice(copied, before)} `;
    copied = behind;
  }
  return trim(cleaned + chunk.slice(copied));
}

/**
 * Joins chunks, with blanks, until each is of a length, a blank behind it counted; what is left over at the end joins
 * the one before.
 */
export function joinShort(chunks: readonly string[], minLength: number): string[] {
  if (chunks.length < 2) return [...chunks];
  const joined: string[] = [];
  let open: string[] = [];
  let length = 0;
  for (const chunk of chunks) {
    open.push(chunk);
    length += chunk.length + 1;
    if (length < minLength) continue;
    joined.push(trim(open.join(' ')));
    open = [];
    length = 0;
  }
  if (open.length > 0) joined.push(trim([...joined.splice(-1), ...open].join(' ')));
  return joined;
}

/** Cuts what is longer, and trims it; the rest of it is lost. */
export function shorten(chunk: string, maxLength: number): string {
  return chunk.length > maxLength ? trim(cut(chunk, maxLength)) : chunk;
}

/**
 * Joins every so many chunks, with blanks. Each group begins with the last chunks of the one before, `overlap` of
 * them; a group is not made of those alone, unless there is no other.
 */
export function merge(chunks: readonly string[], count: number, overlap: number): string[] {
  const groups: string[] = [];
  for (let start = 0; start < chunks.length - overlap || start === 0; start += count - overlap) {
    if (start < chunks.length) groups.push(trim(chunks.slice(start, start + count).join(' ')));
  }
  return groups;
}

/** Gives each chunk the end of the one before it and the start of the one behind it, as many percent of its own length. */
export function overlapByPercentage(chunks: readonly string[], percentage: number): string[] {
  return chunks.map((chunk, i) => {
    const length = Math.floor((chunk.length * percentage) / 100);
    const before = chunks[i - 1] ?? '';
    const behind = chunks[i + 1] ?? '';
    return trim(`${tail(before, length)} ${chunk} ${length === 0 ? '' : behind.slice(0, wholePairs(behind, length))}`);
  });
}

function tail(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  // Half of a pair is no character.
  return text.slice(isLow(text, start) ? start + 1 : start);
}

/** The start of a text, of at most so many units, but one character at least. */
function cut(text: string, length: number): string {
  return text.slice(0, graphemeFloor(text, length) || wholePairs(text, length) || length + 1);
}

/** So many units, or one fewer where they end within a pair. */
function wholePairs(text: string, length: number): number {
  return isLow(text, length) ? length - 1 : length;
}

/** Whether the second half of a pair stands at a position. */
function isLow(text: string, position: number): boolean {
  return position > 0 && position < text.length && (text.codePointAt(position - 1) as number) > 0xffff;
}

/** White space as `\s` has it in Java's patterns. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
