import {
  clamped,
  type Document,
  double,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type UpdateMode,
  UpdateModeParameter,
} from '@headrace/engine';
import type { LanguageModel } from '@headrace/text-analysis/language';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /**
   * The fields with the text, at least one. All their values count; numbers and booleans are texts. Null is omitted.
   */
  source: Type.Array(Type.String()),
  /** The field for the code of the language. */
  languageField: Type.String(),
  /** The field for the probability, with two decimals, at most 0.99. */
  languageConfidenceField: Type.String({ default: 'languageConfidence' }),
  /**
   * The minimum number of characters of all texts together. With fewer than 20, hardly any language can be detected.
   */
  minLength: Type.Integer({ default: 50, ...clamped({ minimum: 0 }) }),
  /** The maximum number of characters to examine, from the start. */
  maxLength: Type.Integer({ default: 10_000, minimum: 1 }),
  /** The minimum probability of the language, from 0 to 1. */
  minProbability: Type.Number({ default: 0.95, ...clamped({ minimum: 0, maximum: 1 }) }),
  /** What happens to fields that exist: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

/** The upper limit of the probability, because no result is certain. */
const MAX_CONFIDENCE = 0.99;

/**
 * Detects the language that a document is written in.
 *
 * The texts of all sources are examined together. Their letters, pairs and triples of letters are compared with those
 * of 53 languages. If one language is probable enough, its code and the probability are written. Otherwise nothing is
 * written: the text is too short, mixed, or in none of these languages. URLs and mail addresses do not count. A text
 * without letters has no language.
 *
 * The codes are af, ar, bg, bn, cs, da, de, el, en, es, et, fa, fi, fr, gu, he, hi, hr, hu, id, it, ja, kn, ko, lt, lv,
 * mk, ml, mr, ne, nl, no, pa, pl, pt, ro, ru, sk, sl, so, sq, sv, sw, ta, te, th, tl, tr, uk, ur, vi, zh-cn (simplified
 * Chinese) and zh-tw (traditional Chinese).
 */
export class DetectLanguage extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The language of a title and a text',
      params: { source: ['title', 'text'], languageField: 'language' },
      documents: [
        { id: '1', title: 'Guten Morgen', text: 'Die Fischer kehrten vor Sonnenaufgang in das Dorf zurück.' },
        { id: '2', text: 'Too short' },
      ],
      output: [
        {
          id: '1',
          title: 'Guten Morgen',
          text: 'Die Fischer kehrten vor Sonnenaufgang in das Dorf zurück.',
          language: 'de',
          languageConfidence: 0.99,
        },
        { id: '2', text: 'Too short' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.source.length === 0) yield { parameter: 'source', message: 'source must name at least one field' };
    yield* checkDestination('languageField', params.languageField);
    yield* checkDestination('languageConfidenceField', params.languageConfidenceField);
  }

  readonly #minProbability: number;
  readonly #updateMode: UpdateMode;
  #model: LanguageModel | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#minProbability = params.minProbability;
    this.#updateMode = params.updateMode;
  }

  override async start(): Promise<void> {
    const { languageModel } = await import('@headrace/text-analysis/language');
    this.#model = languageModel();
  }

  override process(document: Document): void {
    const text = this.#text(document);
    if (text === undefined) return;
    const found = (this.#model as LanguageModel).detect(text);
    if (found === undefined || Math.min(found.probability, MAX_CONFIDENCE) < this.#minProbability) return;
    const confidence = Math.min(Math.floor(found.probability * 100) / 100, MAX_CONFIDENCE);
    document.update(this.params.languageField, this.#updateMode, [found.code]);
    document.update(this.params.languageConfidenceField, this.#updateMode, [double(confidence)]);
  }

  override stop(): void {
    this.#model = undefined;
  }

  /** Returns the texts of all sources, or undefined if they are too short. */
  #text(document: Document): string | undefined {
    const { source, minLength, maxLength } = this.params;
    let text = '';
    let length = 0;
    for (const field of source) {
      for (const value of document.values(field)) {
        const part = textOf(value)?.slice(0, maxLength - length) ?? '';
        // A blank separates a value from the next one, so that no word continues into it. The blank is not counted.
        text += text === '' ? part : ` ${part}`;
        length += part.length;
        if (length >= maxLength) break;
      }
    }
    return length < minLength || length === 0 ? undefined : text;
  }
}
