import { hashPair, slotOf, slotsFor } from '../dictionary/hashing.ts';
import { Alphabet, plainText } from './ngrams.ts';
import { PROFILES } from './profiles.generated.ts';

/** A possible language of a text. */
export interface DetectedLanguage {
  /** The ISO 639-1 code, with a region for the script of Chinese: `zh-cn`, `zh-tw`. */
  readonly code: string;
  /** A probability between 0 and 1. */
  readonly probability: number;
}

/** The weight of an n-gram that a language does not have, as the authors of the profiles chose it. */
const UNSEEN = 0.5 / 10_000;
/** A bound above the number of characters in the profiles. */
const CHARACTERS = 0x8000;
/** The weight of each n-gram. N-grams overlap, so they are not independent, and each counts half. */
const WITNESS = 0.5;

let model: LanguageModel | undefined;

/** Returns the model of this thread. The first call creates it, which takes tenths of a second and 5 MB. */
export function languageModel(): LanguageModel {
  model ??= new LanguageModel();
  return model;
}

/**
 * Detects the language of texts with naive Bayes over n-grams of one to three characters. The profiles are those of
 * Nakatani Shuyo's language-detection (2010). That library uses random samples of the n-grams. This class uses all of
 * them, or in long texts evenly distributed ones, so the same text always has the same result.
 */
export class LanguageModel {
  /** The codes of the languages. */
  readonly codes: readonly string[] = Object.keys(PROFILES);
  readonly #alphabet = new Alphabet();
  /**
   * A hash table of n-grams, as triples: the first two characters, the third (0 for a free slot), the n-gram's number.
   */
  readonly #slots: Int32Array;
  readonly #size: number;
  /** The index of the first weight of each n-gram. The weights of the next n-gram follow. */
  readonly #starts: Int32Array;
  /** The language of each weight. */
  readonly #languages: Uint8Array;
  /** The logarithms of how much more probable the n-gram is in the language than in a language without it. */
  readonly #weights: Float32Array;

  constructor() {
    const ngrams = new Map<number, number>();
    const counts: number[] = [];
    let total = 0;
    readProfiles(this.codes, this.#alphabet, (pair, last) => {
      const key = pair * CHARACTERS + last;
      const number = ngrams.get(key) ?? counts.push(0) - 1;
      ngrams.set(key, number);
      counts[number] = (counts[number] as number) + 1;
      total++;
    });
    this.#starts = new Int32Array(counts.length + 1);
    for (const [number, count] of counts.entries()) this.#starts[number + 1] = (this.#starts[number] as number) + count;

    this.#languages = new Uint8Array(total);
    this.#weights = new Float32Array(total);
    const free = this.#starts.slice();
    readProfiles(this.codes, this.#alphabet, (pair, last, language, weight) => {
      const number = ngrams.get(pair * CHARACTERS + last) as number;
      const at = free[number] as number;
      this.#languages[at] = language;
      this.#weights[at] = weight;
      free[number] = at + 1;
    });

    this.#size = slotsFor(ngrams.size);
    this.#slots = new Int32Array(this.#size * 3);
    for (const [key, number] of ngrams) this.#occupy(Math.floor(key / CHARACTERS), key % CHARACTERS, number);
  }

  /** Returns the most probable language of a text, or undefined if it has no known n-gram. */
  detect(text: string): DetectedLanguage | undefined {
    const starts = this.#starts;
    const languages = this.#languages;
    const weights = this.#weights;
    const scores = new Float64Array(this.codes.length);
    let known = false;
    this.#alphabet.forEachNgram(plainText(text), (a, b, c) => {
      const ngram = c === 0 ? -1 : this.#find(a * CHARACTERS + b, c);
      if (ngram < 0) return;
      known = true;
      const end = starts[ngram + 1] as number;
      for (let at = starts[ngram] as number; at < end; at++) {
        const language = languages[at] as number;
        scores[language] = (scores[language] as number) + (weights[at] as number);
      }
    });
    if (!known) return undefined;
    let best = 0;
    for (let i = 1; i < scores.length; i++) if ((scores[i] as number) > (scores[best] as number)) best = i;
    let sum = 0;
    for (const score of scores) sum += Math.exp((score - (scores[best] as number)) * WITNESS);
    return { code: this.codes[best] as string, probability: 1 / sum };
  }

  #find(pair: number, last: number): number {
    const slots = this.#slots;
    const size = this.#size;
    for (let slot = slotOf(hashPair(pair, last), size); ; slot = slot + 1 === size ? 0 : slot + 1) {
      const found = slots[slot * 3 + 1] as number;
      if (found === 0) return -1;
      if (found === last && slots[slot * 3] === pair) return slots[slot * 3 + 2] as number;
    }
  }

  #occupy(pair: number, last: number, number: number): void {
    const slots = this.#slots;
    const size = this.#size;
    let slot = slotOf(hashPair(pair, last), size);
    while (slots[slot * 3 + 1] !== 0) slot = slot + 1 === size ? 0 : slot + 1;
    slots[slot * 3] = pair;
    slots[slot * 3 + 1] = last;
    slots[slot * 3 + 2] = number;
  }
}

/**
 * Calls a function for the n-grams of all profiles, with the first two characters as one number, the last character,
 * the number of the language, and the weight.
 */
function readProfiles(
  codes: readonly string[],
  alphabet: Alphabet,
  visit: (pair: number, last: number, language: number, weight: number) => void,
): void {
  for (const [language, code] of codes.entries()) {
    for (const line of (PROFILES[code] as string).split('\n')) {
      const probability = 2 ** (-Number.parseInt(line.slice(0, 2), 36) / 8);
      const weight = Math.log((UNSEEN + probability) / UNSEEN);
      const length = Number(line.charAt(2));
      for (let at = 3; at < line.length; at += length) {
        let pair = 0;
        for (let i = 0; i < length - 1; i++) pair = pair * CHARACTERS + alphabet.number(line.charAt(at + i));
        visit(pair, alphabet.number(line.charAt(at + length - 1)), language, weight);
      }
    }
  }
}
