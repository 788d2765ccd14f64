import { messageOf } from 'headrace/engine';
import { ClassModel } from './class-model.ts';
import { Dictionary } from './dictionary.ts';
import { isDigit, isLetter, isUpperCase, isWhitespace } from './java-characters.ts';
import type { ModelArchive } from './model-archive.ts';
import { type Span, splitAtSpace } from './spans.ts';

/** The words that are never split, by language: the letters and digits of the language. */
const ALPHANUMERIC: Readonly<Record<string, string>> = {
  es: '^[0-9a-záéíóúüýñA-ZÁÉÍÓÚÝÑ]+$',
  it: '^[0-9a-zàèéìîíòóùüA-ZÀÈÉÌÎÍÒÓÙÜ]+$',
  pt: '^[0-9a-záãâàéêíóõôúüçA-ZÁÃÂÀÉÊÍÓÕÔÚÜÇ]+$',
  ca: '^[0-9a-zàèéíïòóúüçA-ZÀÈÉÍÏÒÓÚÜÇ]+$',
  pl: '^[A-Za-z0-9żźćńółęąśŻŹĆĄŚĘŁÓŃ]+$',
  de: '^[A-Za-z0-9äéöüÄÉÖÜß]+$',
  fr: '^[a-zA-Z0-9àâäèéêëîïôœùûüÿçÀÂÄÈÉÊËÎÏÔŒÙÛÜŸÇ]+$',
  nl: '^[A-Za-z0-9äöüëèéïĳÄÖÜËÉÈÏĲ]+$',
};
const LONG_CODES: Readonly<Record<string, string>> = {
  spa: 'es',
  ita: 'it',
  por: 'pt',
  cat: 'ca',
  pol: 'pl',
  deu: 'de',
  ger: 'de',
  fra: 'fr',
  fre: 'fr',
  nld: 'nl',
  dut: 'nl',
};
const DEFAULT_ALPHANUMERIC = '^[A-Za-z0-9]+$';
const SPLIT = 'T';

/** Splits texts into words and punctuation with a model of OpenNLP, as TokenizerME does. */
export class Tokenizer {
  readonly #model: ClassModel;
  /** Words that are never split; undefined if the model decides about all words. */
  readonly #whole: RegExp | undefined;
  readonly #abbreviations: Dictionary | undefined;

  /** Throws if the archive is not a tokenizer. */
  constructor(archive: ModelArchive) {
    this.#model = new ClassModel(archive.require('token.model'));
    const { properties } = archive;
    const language = properties.get('Language') ?? '';
    const pattern =
      properties.get('alphaNumericPattern') ?? ALPHANUMERIC[LONG_CODES[language] ?? language] ?? DEFAULT_ALPHANUMERIC;
    if (properties.get('useAlphaNumericOptimization') === 'true') this.#whole = wholePattern(pattern);
    const abbreviations = archive.get('abbreviations.dictionary');
    this.#abbreviations = abbreviations === undefined ? undefined : new Dictionary(abbreviations);
  }

  tokenize(text: string): Span[] {
    return splitAtSpace(text).flatMap((span) => this.#split(text.slice(span.start, span.end), span.start));
  }

  #split(word: string, offset: number): Span[] {
    const end = offset + word.length;
    if (word.length < 2 || this.#whole?.test(word) === true) return [{ start: offset, end }];
    const tokens: Span[] = [];
    let start = offset;
    for (let i = 1; i < word.length; i++) {
      const probabilities = this.#model.probabilities(this.#features(word, i));
      const best = probabilities.indexOf(Math.max(...probabilities));
      if (this.#model.outcomes[best] !== SPLIT) continue;
      if (this.#isAbbreviation(word)) {
        tokens.push({ start, end });
        // The periods of the abbreviation do not end it.
        i += word.split('.').length - 1;
        start = offset + i + 1;
      } else {
        tokens.push({ start, end: offset + i });
        start = offset + i;
      }
    }
    if (start < end) tokens.push({ start, end });
    return tokens;
  }

  #isAbbreviation(word: string): boolean {
    return this.#abbreviations?.has([word]) === true;
  }

  /** The features of a position in a word: DefaultTokenContextGenerator of OpenNLP. */
  #features(word: string, at: number): string[] {
    const unit = (i: number) => word.charAt(i);
    const features = [`p=${word.slice(0, at)}`, `s=${word.slice(at)}`, ...characterFeatures('p1', unit(at - 1))];
    if (at > 1) features.push(...characterFeatures('p2', unit(at - 2)), `p21=${unit(at - 2)}${unit(at - 1)}`);
    else features.push('p2=bok');
    features.push(`p1f1=${unit(at - 1)}${unit(at)}`, ...characterFeatures('f1', unit(at)));
    if (at + 1 < word.length) features.push(...characterFeatures('f2', unit(at + 1)), `f12=${unit(at)}${unit(at + 1)}`);
    else features.push('f2=bok');
    if (word.startsWith('&') && word.endsWith(';')) features.push('cc');
    if (at === word.length - 1 && this.#isAbbreviation(word)) features.push('pabb');
    return features;
  }
}

function characterFeatures(key: string, unit: string): string[] {
  const kind = kindOf(unit);
  const features = kind === undefined ? [`${key}=${unit}`] : [`${key}=${unit}`, `${key}_${kind}`];
  if (kind === 'alpha' && isUpperCase(unit)) features.push(`${key}_caps`);
  return features;
}

function kindOf(unit: string): string | undefined {
  if (isLetter(unit)) return 'alpha';
  if (isDigit(unit)) return 'num';
  if (isWhitespace(unit)) return 'ws';
  if ('.?!'.includes(unit)) return 'eos';
  if ('`"\''.includes(unit)) return 'quote';
  if ('[{('.includes(unit)) return 'lp';
  return ']})'.includes(unit) ? 'rp' : undefined;
}

function wholePattern(pattern: string): RegExp {
  try {
    return new RegExp(`^(?:${pattern})$`, 'u');
  } catch (error) {
    throw new Error(`alphaNumericPattern of the tokenizer is invalid: ${messageOf(error)}`);
  }
}
