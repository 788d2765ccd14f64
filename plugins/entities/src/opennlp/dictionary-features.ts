import type { Dictionary } from './dictionary.ts';
import type { FeatureGenerator } from './feature-generators.ts';
import { lowerCase } from './java-characters.ts';
import { tokenClass } from './token-class.ts';

/** A word has a feature for the start of the path of its Brown cluster with each of these lengths. */
const PATH_LENGTHS = [4, 6, 10, 20];

type Clusters = ReadonlyMap<string, string>;

/** The features of tokens in an entry of a dictionary. Of the entries that begin at a token, the longest one counts. */
export function dictionaryFeatures(dictionary: Dictionary, prefix: string): FeatureGenerator {
  let last: readonly string[] | undefined;
  let known: ReadonlySet<number> = new Set();
  return (tokens, at) => {
    // The callers ask about all tokens of a text before the next text.
    if (tokens !== last) {
      known = tokensInEntries(tokens, dictionary);
      last = tokens;
    }
    return known.has(at) ? [`${prefix}:w=dic`, `${prefix}:w=dic=${tokens[at]}`] : [];
  };
}

function tokensInEntries(tokens: readonly string[], dictionary: Dictionary): Set<number> {
  const known = new Set<number>();
  for (let start = 0; start < tokens.length; start++) {
    let length = Math.min(dictionary.maxTokens, tokens.length - start);
    while (length > 0 && !dictionary.has(tokens.slice(start, start + length))) length--;
    for (let i = 0; i < length; i++) known.add(start + i);
    start += Math.max(0, length - 1);
  }
  return known;
}

export function wordClusterFeatures(clusters: Clusters, name: string, lower: boolean): FeatureGenerator {
  return (tokens, at) => {
    const token = tokens[at] as string;
    const cluster = clusters.get(lower ? lowerCase(token) : token);
    return cluster === undefined ? [] : [name + cluster];
  };
}

export function brownFeatures(clusters: Clusters): FeatureGenerator {
  return (tokens, at) => pathsOf(clusters, tokens[at]).map((path) => `browncluster=${path}`);
}

export function brownClassFeatures(clusters: Clusters): FeatureGenerator {
  return (tokens, at) =>
    pathsOf(clusters, tokens[at]).map((path) => `c,browncluster=${tokenClass(tokens[at] as string)},${path}`);
}

export function brownBigramFeatures(clusters: Clusters): FeatureGenerator {
  return (tokens, at) => {
    const [before, own, after] = [at - 1, at, at + 1].map((i) => pathsOf(clusters, tokens[i])) as [Paths, Paths, Paths];
    return [
      ...pairs(before, own).map((pair) => `pbrowncluster,browncluster=${pair}`),
      ...pairs(own, after).map((pair) => `browncluster,nbrowncluster=${pair}`),
    ];
  };
}

type Paths = readonly string[];

function pairs(first: Paths, second: Paths): string[] {
  return first.slice(0, second.length).map((path, i) => `${path},${second[i]}`);
}

/** Returns the starts of the path of the cluster of a token. The last one may be the whole path. */
function pathsOf(clusters: Clusters, token: string | undefined): Paths {
  const path = token === undefined ? undefined : clusters.get(token);
  if (path === undefined) return [];
  return PATH_LENGTHS.filter((_, i) => i === 0 || (PATH_LENGTHS[i - 1] as number) < path.length).map((length) =>
    path.slice(0, length),
  );
}
