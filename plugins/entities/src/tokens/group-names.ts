import type { TokenPiece } from '@headrace/local-models';
import { type Label, readLabel } from './labels.ts';

export const AGGREGATIONS = ['first', 'average', 'max', 'simple'] as const;
/**
 * How the tokens of a word get one label: that of the first token, the best of the average, or that of the token with
 * the highest probability. With simple, each token has its label.
 */
export type Aggregation = (typeof AGGREGATIONS)[number];

/** A token with the probability of each label. */
export interface ScoredToken extends Pick<TokenPiece, 'start' | 'end' | 'continuesWord'> {
  readonly probabilities: Float32Array;
}

/** A name in a text, with its type. */
export interface TypedName {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  /** The mean probability of the labels of its words, or of its tokens with simple. */
  readonly score: number;
}

/** Letters, marks and digits of scripts that separate words. */
const IN_WORD = /^[\p{L}\p{M}\p{N}]$/u;
const WITHOUT_BLANKS = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]$/u;

interface Part {
  readonly start: number;
  readonly end: number;
  readonly label: Label;
  readonly score: number;
}

/**
 * Groups the tokens of a text into names, as the pipeline of transformers does.
 * @param labels the labels of the model, by their numbers
 */
export function groupNames(
  text: string,
  tokens: readonly ScoredToken[],
  labels: readonly string[],
  aggregation: Aggregation,
): TypedName[] {
  const known = labels.map(readLabel);
  const parts = (aggregation === 'simple' ? tokens.map((token) => [token]) : wordsOf(text, tokens)).map(
    (word): Part => {
      const probabilities = probabilitiesOf(word, aggregation);
      const best = indexOfMost(probabilities);
      return {
        start: (word[0] as ScoredToken).start,
        end: (word.at(-1) as ScoredToken).end,
        label: known[best] as Label,
        score: probabilities[best] as number,
      };
    },
  );
  const groups: Part[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    const last = group?.at(-1)?.label;
    if (last !== undefined && last.type === part.label.type && !part.label.begins && !last.ends) group?.push(part);
    else groups.push([part]);
  }
  return groups.flatMap((group) => {
    const [{ label, start }, end] = [group[0] as Part, (group.at(-1) as Part).end];
    const score = group.reduce((sum, part) => sum + part.score, 0) / group.length;
    return label.type === undefined || start >= end ? [] : [{ type: label.type, start, end, score }];
  });
}

function wordsOf(text: string, tokens: readonly ScoredToken[]): ScoredToken[][] {
  const words: ScoredToken[][] = [];
  for (const token of tokens) {
    const word = words.at(-1);
    if (word !== undefined && continues(text, word.at(-1) as ScoredToken, token)) word.push(token);
    else words.push([token]);
  }
  return words;
}

/** Returns whether a token belongs to the word of the token before. */
function continues(text: string, before: ScoredToken, { start, continuesWord }: ScoredToken): boolean {
  if (continuesWord !== undefined) return continuesWord;
  if (start !== before.end) return false;
  const last = String.fromCodePoint(codePointBefore(text, start));
  const next = String.fromCodePoint(text.codePointAt(start) ?? 0);
  return [last, next].every((character) => IN_WORD.test(character) && !WITHOUT_BLANKS.test(character));
}

function codePointBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return (unit & 0xfc00) === 0xdc00 ? (text.codePointAt(at - 2) ?? 0) : unit || 0;
}

function probabilitiesOf(word: readonly ScoredToken[], aggregation: Aggregation): Float32Array {
  const [first] = word as [ScoredToken];
  if (word.length === 1 || aggregation === 'first') return first.probabilities;
  if (aggregation === 'average') {
    return first.probabilities.map(
      (_, label) => word.reduce((sum, { probabilities }) => sum + (probabilities[label] as number), 0) / word.length,
    );
  }
  return word.reduce((best, token) => (most(token) > most(best) ? token : best)).probabilities;
}

function most({ probabilities }: ScoredToken): number {
  return probabilities[indexOfMost(probabilities)] as number;
}

function indexOfMost(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if ((values[i] as number) > (values[best] as number)) best = i;
  return best;
}
