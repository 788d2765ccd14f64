import type { Position } from './substitution.ts';

/** The result of reading a string in triple quotes. */
export interface TripleString {
  text: string;
  /** The position after the string. */
  next: Position;
  /** True if the text of the config ended inside the string. */
  isUnclosed: boolean;
}

/** Reads a string in triple quotes. `start` is the position of its first quote. */
export function readTriple(source: string, start: Position): TripleString {
  const closing = source.indexOf('"""', start.at + 3);
  let end = closing < 0 ? source.length : closing;
  const { line, lineStart } = advance(source, start, end);
  if (closing < 0) return { text: '', next: { at: end, line, lineStart }, isUnclosed: true };
  // In a row of quotes, the last three close the string. The quotes before are content.
  while (source.charAt(end + 3) === '"') end++;
  return { text: source.slice(start.at + 3, end), next: { at: end + 3, line, lineStart }, isUnclosed: false };
}

/** Returns a later position in the text, with its line. */
function advance(source: string, from: Position, to: number): Position {
  let { line, lineStart } = from;
  for (let n = source.indexOf('\n', from.at); n >= 0 && n < to; n = source.indexOf('\n', n + 1)) {
    line++;
    lineStart = n + 1;
  }
  return { at: to, line, lineStart };
}

/** Matches a line that is a separate field or closes something. Lines of scripts usually look different. */
const FIELD =
  /^([ \t]*)(?:(?:"[^"\n]+"|[\w.-]+)[ \t]*(?:\+?=(?![=>])|:(?!:)|(?=\{))[ \t]*[^\s;][^\n;(]*|[\]}][\]},]*[ \t]*\r?)$/gm;

/**
 * Returns the probable end of an unclosed string in triple quotes: the end of the line before a field that is not
 * indented further than the line of the opening quotes. Returns undefined if there is no such field.
 */
export function gapBelow(source: string, start: Position): Position | undefined {
  const indent = indentAt(source, start.lineStart);
  FIELD.lastIndex = start.at;
  for (let match = FIELD.exec(source); match !== null; match = FIELD.exec(source)) {
    const from = match.index;
    if (from > start.at && match[1]!.length <= indent) return advance(source, start, from - 1);
  }
  return undefined;
}

/** Returns the indentation of a line in characters. */
export function indentAt(source: string, lineStart: number): number {
  let at = lineStart;
  while (source.charAt(at) === ' ' || source.charAt(at) === '\t') at++;
  return at - lineStart;
}
