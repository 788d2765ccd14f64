import { standardTokens } from './standard-tokenizer.ts';

/** The gap between the last word of a value and the first word of the next. No phrase matches across it. */
const VALUE_GAP = 100;

/** The words of a field, in lower case, each with its positions in ascending order. */
export type FieldTerms = ReadonlyMap<string, readonly number[]>;

/** Returns the terms of a text: all its words in lower case. */
export function analyze(text: string): string[] {
  return standardTokens(text).map(lowerCase);
}

/** Returns the terms of the values of a field. */
export function analyzeValues(values: readonly string[]): FieldTerms {
  const terms = new Map<string, number[]>();
  let position = 0;
  for (const value of values) {
    for (const term of analyze(value)) {
      const positions = terms.get(term);
      if (positions === undefined) terms.set(term, [position]);
      else positions.push(position);
      position++;
    }
    position += VALUE_GAP;
  }
  return terms;
}

/** Changes each character to lower case separately, as Lucene's filter does. */
export function lowerCase(text: string): string {
  if (!/[\u0130\u03a3]/.test(text)) return text.toLowerCase();
  return Array.from(text, (character) => String.fromCodePoint(character.toLowerCase().codePointAt(0) as number)).join(
    '',
  );
}
