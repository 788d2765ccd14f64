import type { Flags } from './flags.ts';

/** `^`: with MULTILINE also after a line terminator, except one that ends the text. */
export function lineStart(flags: Flags): string {
  if (!flags.multiline) return '^';
  return flags.unixLines ? '(?<=^|\\n)(?=[^])' : '(?<=^|[\\n\\x85\\u2028\\u2029]|\\r(?!\\n))(?=[^])';
}

/** `$`: the end, before a line terminator that ends the text, and with MULTILINE before any. `\r\n` is one. */
export function lineEnd(flags: Flags): string {
  const terminator = flags.unixLines ? '\\n' : '\\r\\n|[\\r\\x85\\u2028\\u2029]|(?<!\\r)\\n';
  return flags.multiline ? `(?=$|${terminator})` : `(?=$|(?:${terminator})$)`;
}

/**
 * A word character for Java's `\b`: a non-spacing mark belongs to the letter or digit before it, so there is no
 * boundary inside a decomposed `é`.
 */
const WORD = '(?:\\w|(?<=[\\p{L}\\p{Nd}]\\p{Mn}*)\\p{Mn})';
const UNICODE_WORD = '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]';

/** `\b`. The plain test comes first: marks are rare. */
export function wordBoundary(flags: Flags): string {
  if (flags.unicodeClasses) return boundary(UNICODE_WORD);
  return `(?:\\b(?<!\\p{Mn})(?!\\p{Mn})|(?:(?<=\\p{Mn})|(?=\\p{Mn}))${boundary(WORD)})`;
}

/** `\B`. */
export function notWordBoundary(flags: Flags): string {
  return `(?!${wordBoundary(flags)})`;
}

function boundary(word: string): string {
  return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`;
}
