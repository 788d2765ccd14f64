import type { Position } from './substitution.ts';

/** The result of reading a string in triple quotes. */
export interface TripleString {
  text: string;
  /** The offset after it. */
  next: Position;
  /** The text of the config ended inside. */
  isUnclosed: boolean;
}

/** Reads a string in triple quotes, from its first quote. */
export function readTriple(source: string, start: Position): TripleString {
  const closing = source.indexOf('"""', start.at + 3);
  let end = closing < 0 ? source.length : closing;
  const { line, lineStart } = advance(source, start, end);
  if (closing < 0) return { text: '', next: { at: end, line, lineStart }, isUnclosed: true };
  // The last three of a row of quotes close the string; the ones before are content.
  while (source.charAt(end + 3) === '"') end++;
  return { text: source.slice(start.at + 3, end), next: { at: end + 3, line, lineStart }, isUnclosed: false };
}

/** A later position in the text, with its line. */
function advance(source: string, from: Position, to: number): Position {
  let { line, lineStart } = from;
  for (let n = source.indexOf('\n', from.at); n >= 0 && n < to; n = source.indexOf('\n', n + 1)) {
    line++;
    lineStart = n + 1;
  }
  return { at: to, line, lineStart };
}

/** A line that is a separate field, or closes something. Lines of scripts usually look different. */
const FIELD =
  /^([ \t]*)(?:(?:"[^"\n]+"|[\w.-]+)[ \t]*(?:\+?=(?![=>])|:(?!:)|(?=\{))[ \t]*[^\s;][^\n;(]*|[\]}][\]},]*[ \t]*\r?)$/gm;

/**
 * Where an unclosed string in triple quotes was probably meant to end: the end of the line before the next line that
 * looks like a field and is not indented further than the line on which the string starts. Undefined if there is no
 * such line.
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

/** How far the line that starts here is indented, in characters. */
export function indentAt(source: string, lineStart: number): number {
  let at = lineStart;
  while (source.charAt(at) === ' ' || source.charAt(at) === '\t') at++;
  return at - lineStart;
}
