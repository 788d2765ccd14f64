/** A Java regular expression that is invalid, or has no equivalent in JavaScript. */
export class JavaRegexError extends Error {
  override readonly name = 'JavaRegexError';
  /** The whole pattern. */
  readonly pattern: string;
  /** Offset into the pattern (UTF-16 units, from 0) of the construct that the message names. */
  readonly position: number;

  constructor(problem: string, pattern: string, position: number) {
    super(`${problem} (at character ${position + 1} of the pattern ${JSON.stringify(pattern)})`);
    this.pattern = pattern;
    this.position = position;
  }
}
