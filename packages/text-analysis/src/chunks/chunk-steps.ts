import { graphemeFloor } from '../letters/grapheme-boundary.ts';
import { trim } from './trim.ts';

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;

/** Cuts a text into slices of this many UTF-16 units, or slightly fewer to keep a character whole. */
export function fixedChunks(text: string, length: number): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const chunk = cut(text.slice(start, start + length + 2), length);
    chunks.push(chunk);
    start += chunk.length;
  }
  return chunks;
}

/** Replaces each line break and the white space around it by one blank. Trims the ends. */
export function withoutLineBreaks(chunk: string): string {
  let cleaned = '';
  let copied = 0;
  for (const { index, 0: lineBreak } of chunk.matchAll(LINE_BREAK)) {
    // This line break is part of the white space after the previous one.
    if (index < copied) continue;
    let before = index;
    while (before > copied && isSpace(chunk.charCodeAt(before - 1))) before--;
    let end = index + lineBreak.length;
    while (isSpace(chunk.charCodeAt(end))) end++;
    cleaned += `${chunk.slice(copied, before)} `;
    copied = end;
  }
  return trim(cleaned + chunk.slice(copied));
}

/**
 * Joins chunks with blanks until each reaches the minimum length, counted with a blank after it. The rest at the end is
 * added to the last chunk.
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

/** Cuts a chunk to the maximum length and trims it. The rest is dropped. */
export function shorten(chunk: string, maxLength: number): string {
  return chunk.length > maxLength ? trim(cut(chunk, maxLength)) : chunk;
}

/**
 * Joins groups of this many chunks, with blanks. Each group begins with the last `overlap` chunks of the previous
 * group. A group has at least one new chunk, unless it is the only group.
 */
export function merge(chunks: readonly string[], count: number, overlap: number): string[] {
  const groups: string[] = [];
  for (let start = 0; start < chunks.length - overlap || start === 0; start += count - overlap) {
    if (start < chunks.length) groups.push(trim(chunks.slice(start, start + count).join(' ')));
  }
  return groups;
}

/** Adds to each chunk the end of the previous chunk and the start of the next one, in percent of its length. */
export function overlapByPercentage(chunks: readonly string[], percentage: number): string[] {
  return chunks.map((chunk, i) => {
    const length = Math.floor((chunk.length * percentage) / 100);
    const before = chunks[i - 1] ?? '';
    const following = chunks[i + 1] ?? '';
    return trim(
      `${tail(before, length)} ${chunk} ${length === 0 ? '' : following.slice(0, wholePairs(following, length))}`,
    );
  });
}

function tail(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  // Half of a surrogate pair is not a character.
  return text.slice(isLow(text, start) ? start + 1 : start);
}

/** Returns the start of a text, with at most this many units, but at least one character. */
function cut(text: string, length: number): string {
  return text.slice(0, graphemeFloor(text, length) || wholePairs(text, length) || length + 1);
}

/** Returns this length, or one less if it ends inside a surrogate pair. */
function wholePairs(text: string, length: number): number {
  return isLow(text, length) ? length - 1 : length;
}

/** Returns whether the second half of a surrogate pair is at a position. */
function isLow(text: string, position: number): boolean {
  return position > 0 && position < text.length && (text.codePointAt(position - 1) as number) > 0xffff;
}

/** Returns whether a character is white space by `\s` in Java's patterns. */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
