import type { CaseRule } from './letter-case.ts';

/** The flags in force at a point of the pattern. */
export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotall: boolean;
  readonly comments: boolean;
  readonly unixLines: boolean;
  readonly unicodeCase: boolean;
  readonly unicodeClasses: boolean;
}

/** What an inline flag letter turns on or off; undefined for a letter that is none. */
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
