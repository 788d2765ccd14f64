import {
  type Document,
  type DocumentTable,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { removeDiacritics } from '@headrace/text-analysis/letters';
import { checkDestination } from '../fields/destination.ts';
import { transformColumn, transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  /** The field to read. */
  source: Type.String(),
  /** The field for the result. The previous value is replaced. Defaults to the source. */
  destination: Type.Optional(Type.String()),
});

/**
 * Removes accents and other marks from letters: "Crème brûlée" becomes "Creme brulee".
 *
 * Points of Hebrew and Arabic and sound marks of Japanese are also removed. Letters that are not made of another letter
 * and a mark stay: ø, ł, đ, ß. So do emoji, Korean, and scripts in which marks are vowels, such as Devanagari and Thai.
 * Compatibility forms become plain characters: the ligature "ﬁ" becomes "fi", "①" becomes "1", "½" becomes "1⁄2", wide
 * letters become ordinary ones.
 *
 * Every value of a list is processed. Numbers and booleans become texts. A list of one value becomes that value. Null
 * and objects do not change. A missing field and an empty list change nothing.
 */
export class RemoveDiacritics extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'A name to search by without accents',
      params: { source: 'name', destination: 'name_plain' },
      documents: [{ id: '1', name: ['José Núñez', 'Jürgen Groß'] }],
      output: [{ id: '1', name: ['José Núñez', 'Jürgen Groß'], name_plain: ['Jose Nunez', 'Jurgen Groß'] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.destination === undefined) yield* checkDestination('source', params.source);
    else yield* checkDestination('destination', params.destination);
  }

  readonly #destination: string;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#destination = params.destination ?? params.source;
  }

  override process(document: Document): void {
    transformTexts(document, this.params.source, this.#destination, 'overwrite', removeDiacritics);
  }

  override processTable(table: DocumentTable): boolean {
    return transformColumn(table, this.params.source, this.#destination, 'overwrite', removeDiacritics);
  }
}
