import type { WildcardStep } from './query.ts';
import { QuerySyntaxError } from './query-syntax-error.ts';

/** Parses a pattern in which `?` is any character, `*` is any number of them, and `\` makes the next one literal. */
export function parseWildcard(pattern: string): WildcardStep[] {
  const steps: WildcardStep[] = [];
  const characters = Array.from(pattern);
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string;
    if (character === '*') steps.push('ANY_MANY');
    else if (character === '?') steps.push('ANY');
    else if (character !== '\\') steps.push(character);
    else if (i + 1 === characters.length) throw new QuerySyntaxError('a term cannot end with the escape character \\');
    else steps.push(characters[++i] as string);
  }
  return steps;
}

/** Returns whether a term matches a pattern as a whole. Takes at most the product of their lengths in steps. */
export function matchesWildcard(term: string, pattern: readonly WildcardStep[]): boolean {
  const characters = Array.from(term);
  let at = 0;
  let step = 0;
  let lastStar = -1;
  let afterStar = 0;
  while (at < characters.length) {
    const wanted = pattern[step];
    if (wanted === 'ANY_MANY') {
      lastStar = step++;
      afterStar = at;
    } else if (wanted === 'ANY' || wanted === characters[at]) {
      step++;
      at++;
    } else if (lastStar < 0) return false;
    else {
      // The last star matches one character more.
      step = lastStar + 1;
      at = ++afterStar;
    }
  }
  while (pattern[step] === 'ANY_MANY') step++;
  return step === pattern.length;
}
