import { lowerCase } from './java-characters.ts';
import { splitByKind } from './spans.ts';
import { tokenClass } from './token-class.ts';

/** The texts of a document that were processed before. */
export interface EarlierTexts {
  /** The last outcome of each token. */
  readonly outcomes: ReadonlyMap<string, string>;
  readonly isFirst: boolean;
}

/** Returns the features of the token at a position. Their order matters only for rounding. */
export type FeatureGenerator = (tokens: readonly string[], at: number, earlier: EarlierTexts) => string[];

/** The generators that models have if they do not contain a descriptor. */
export const DEFAULT_GENERATORS: FeatureGenerator = all([
  window(tokenClassFeatures(true), 2, 2),
  window(tokenFeatures(true), 2, 2),
  outcomePrior,
  previousOutcome,
  bigrams,
  sentence(true, false),
]);

export function all(generators: readonly FeatureGenerator[]): FeatureGenerator {
  const [first] = generators;
  if (first !== undefined && generators.length === 1) return first;
  return (...position) => generators.flatMap((generator) => generator(...position));
}

/** The features of the tokens around the token, with their distance. */
export function window(generator: FeatureGenerator, before: number, after: number): FeatureGenerator {
  return (tokens, at, earlier) => {
    const features = [...generator(tokens, at, earlier)];
    for (let i = 1; i <= before && at - i >= 0; i++) {
      for (const feature of generator(tokens, at - i, earlier)) features.push(`p${i}${feature}`);
    }
    for (let i = 1; i <= after && at + i < tokens.length; i++) {
      for (const feature of generator(tokens, at + i, earlier)) features.push(`n${i}${feature}`);
    }
    return features;
  };
}

export function tokenClassFeatures(withWord: boolean): FeatureGenerator {
  return (tokens, at) => {
    const found = classAt(tokens, at);
    return withWord ? [`wc=${found}`, `w&c=${lowerCase(tokens[at] as string)},${found}`] : [`wc=${found}`];
  };
}

export function tokenFeatures(lower: boolean): FeatureGenerator {
  return (tokens, at) => [`w=${lower ? lowerCase(tokens[at] as string) : tokens[at]}`];
}

export function tokenPattern(tokens: readonly string[], at: number): string[] {
  const token = tokens[at] as string;
  const parts = splitByKind(token);
  if (parts.length === 1) return [`st=${lowerCase(token)}`];
  const kinds = parts.map(tokenClass);
  const features = [`stn=${parts.length}`];
  for (const [i, part] of parts.entries()) {
    if (i < parts.length - 1) features.push(`pt2=${kinds[i]}${kinds[i + 1]}`);
    if (i < parts.length - 2) features.push(`pt3=${kinds[i]}${kinds[i + 1]}${kinds[i + 2]}`);
    if (/^[a-zA-Z]*$/.test(part)) features.push(`st=${lowerCase(part)}`);
  }
  return [...features, `pta=${kinds.join('')}`];
}

export function outcomePrior(): string[] {
  return ['def'];
}

export function previousOutcome(tokens: readonly string[], at: number, { outcomes }: EarlierTexts): string[] {
  return [`pd=${outcomes.get(tokens[at] as string) ?? 'null'}`];
}

export function documentBegin(_tokens: readonly string[], at: number, { isFirst }: EarlierTexts): string[] {
  return isFirst && at === 0 ? ['D=begin'] : [];
}

export function sentence(begin: boolean, end: boolean): FeatureGenerator {
  return (tokens, at) => [
    ...(begin && at === 0 ? ['S=begin'] : []),
    ...(end && at === tokens.length - 1 ? ['S=end'] : []),
  ];
}

export function bigrams(tokens: readonly string[], at: number): string[] {
  const features: string[] = [];
  const [own, kind] = [tokens[at], classAt(tokens, at)];
  if (at > 0) features.push(`pw,w=${tokens[at - 1]},${own}`, `pwc,wc=${classAt(tokens, at - 1)},${kind}`);
  if (at + 1 < tokens.length) {
    features.push(`w,nw=${own},${tokens[at + 1]}`, `wc,nc=${kind},${classAt(tokens, at + 1)}`);
  }
  return features;
}

export function trigrams(tokens: readonly string[], at: number): string[] {
  const features: string[] = [];
  const three = (from: number) => [from, from + 1, from + 2];
  const words = (from: number) =>
    three(from)
      .map((i) => tokens[i])
      .join(',');
  const kinds = (from: number) =>
    three(from)
      .map((i) => classAt(tokens, i))
      .join(',');
  if (at > 1) features.push(`ppw,pw,w=${words(at - 2)}`, `ppwc,pwc,wc=${kinds(at - 2)}`);
  if (at + 2 < tokens.length) features.push(`w,nw,nnw=${words(at)}`, `wc,nwc,nnwc=${kinds(at)}`);
  return features;
}

export function characterGrams(shortest: number, longest: number): FeatureGenerator {
  return (tokens, at) => {
    const token = lowerCase(tokens[at] as string);
    const grams = new Set<string>();
    for (let length = shortest; length <= Math.min(longest, token.length); length++) {
      for (let i = 0; i + length <= token.length; i++) grams.add(`ng=${token.slice(i, i + length)}`);
    }
    return [...grams];
  };
}

export function prefixes(longest: number): FeatureGenerator {
  return (tokens, at) => lengths(tokens[at] as string, longest).map((length) => `pre=${tokens[at]?.slice(0, length)}`);
}

export function suffixes(longest: number): FeatureGenerator {
  return (tokens, at) => lengths(tokens[at] as string, longest).map((length) => `suf=${tokens[at]?.slice(-length)}`);
}

/** Returns the numbers from 1 to the length of the token, but no number above `longest`. */
function lengths(token: string, longest: number): number[] {
  return Array.from({ length: Math.min(longest, token.length) }, (_, i) => i + 1);
}

function classAt(tokens: readonly string[], at: number): string {
  return tokenClass(tokens[at] as string);
}
