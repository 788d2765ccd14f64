/** The replacement of a part of a text. The offsets refer to the text before the edit. */
export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** Returns the text after an edit. The changes must be in order and must not overlap. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let edited = '';
  let at = 0;
  for (const { from, to, insert } of changes) {
    edited += text.slice(at, from) + insert;
    at = to;
  }
  return edited + text.slice(at);
}

/** Returns the line break that all lines of a text end with. LF if they are different. */
export function lineBreakOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text) ? '\r\n' : '\n';
}

/** Returns a text with all its line breaks replaced by the given one. */
export function withLineBreaks(text: string, lineBreak: string): string {
  return lineBreak === '\n' ? text : text.replace(/\r?\n/g, lineBreak);
}

/** A part of an edited text: a part of the original text that keeps its place, or new text. */
export type Piece = { from: number; to: number } | string;

/**
 * Returns the changes that turn a part of a text into a sequence of pieces. Pieces of the original text must be in
 * their original order.
 */
export function changesOf(text: string, from: number, to: number, pieces: readonly Piece[]): TextChange[] {
  const changes: TextChange[] = [];
  let at = from;
  let insert = '';
  const flush = (end: number) => {
    const change = trimmed(text, { from: at, to: end, insert });
    if (change !== undefined) changes.push(change);
    insert = '';
  };
  for (const piece of pieces) {
    if (typeof piece === 'string') insert += piece;
    else if (piece.from < piece.to) {
      flush(piece.from);
      at = piece.to;
    }
  }
  flush(to);
  return changes;
}

/** Returns a change without the characters at both ends that stay the same. Returns undefined if nothing changes. */
function trimmed(text: string, { from, to, insert }: TextChange): TextChange | undefined {
  const removed = text.slice(from, to);
  if (removed === insert) return undefined;
  const most = Math.min(removed.length, insert.length);
  let start = 0;
  while (start < most && removed[start] === insert[start]) start++;
  let end = 0;
  while (end < most - start && removed.at(-1 - end) === insert.at(-1 - end)) end++;
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}
