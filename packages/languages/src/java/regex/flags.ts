import type { CaseRule } from './letter-case.ts';

/** The active flags at a position in the pattern. */
export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotall: boolean;
  readonly comments: boolean;
  readonly unixLines: boolean;
  readonly unicodeCase: boolean;
  readonly unicodeClasses: boolean;
}

/** Returns the flag of an inline flag letter, or undefined for any other letter. */
export function flagsOfLetter(letter: string, on: boolean): Partial<Flags> | undefined {
  switch (letter) {
    case 'i':
      return { ignoreCase: on };
    case 'm':
      return { multiline: on };
    case 's':
      return { dotall: on };
    case 'x':
      return { comments: on };
    case 'd':
      return { unixLines: on };
    case 'u':
      return { unicodeCase: on };
    case 'U':
      return { unicodeClasses: on, unicodeCase: on };
    default:
      return undefined;
  }
}

export function caseRule(flags: Flags): CaseRule {
  if (!flags.ignoreCase) return 'exact';
  return flags.unicodeCase ? 'unicode' : 'ascii';
}
