import type { Flags } from './flags.ts';

/** Returns the source of `^`. With MULTILINE it also matches after a line terminator, except at the end of the text. */
export function lineStart(flags: Flags): string {
  if (!flags.multiline) return '^';
  return flags.unixLines ? '(?<=^|\\n)(?=[^])' : '(?<=^|[\\n\\x85\\u2028\\u2029]|\\r(?!\\n))(?=[^])';
}

/**
 * Returns the source of `$`: the end, or before a final line terminator, or with MULTILINE before any (`\r\n` is one).
 */
export function lineEnd(flags: Flags): string {
  const terminator = flags.unixLines ? '\\n' : '\\r\\n|[\\r\\x85\\u2028\\u2029]|(?<!\\r)\\n';
  return flags.multiline ? `(?=$|${terminator})` : `(?=$|(?:${terminator})$)`;
}

/**
 * A word character for Java's `\b`. A non-spacing mark belongs to the letter or digit before it, so a decomposed `é`
 * has no boundary inside.
 */
const WORD = '(?:\\w|(?<=[\\p{L}\\p{Nd}]\\p{Mn}*)\\p{Mn})';
const UNICODE_WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

/** Returns the source of `\b`. The plain test is first, because marks are rare. */
export function wordBoundary(flags: Flags): string {
  if (flags.unicodeClasses) return boundary(UNICODE_WORD);
  return `(?:\\b(?<!\\p{Mn})(?!\\p{Mn})|(?:(?<=\\p{Mn})|(?=\\p{Mn}))${boundary(WORD)})`;
}

/** Returns the source of `\B`. */
export function notWordBoundary(flags: Flags): string {
  return `(?!${wordBoundary(flags)})`;
}

function boundary(word: string): string {
  return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
}
