import { type Document, type ParameterProblem, Stage, type StageContext, type Static, Type } from '@headrace/engine';
import { removeDiacritics } from '@headrace/text-analysis/letters';
import { checkDestination } from '../fields/destination.ts';
import { transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  source: Type.String(),
  destination: Type.Optional(Type.String()),
});

/**
 * Takes accents and other marks off the letters of a text: "Crème brûlée" becomes "Creme brulee".
 * <p>
 * Points of Hebrew and Arabic and sound marks of Japanese go as well. Letters that are no composition of another letter
 * and a mark stay: ø, ł, đ, ß. So do emoji, Korean, and scripts in which marks are vowels, such as Devanagari and Thai.
 * Compatibility forms become the plain characters that they stand for: the ligature "ﬁ" becomes "fi", "①" becomes "1",
 * "½" becomes "1⁄2", wide letters become ordinary ones.
 * <p>
 * Every value of a list is treated. Numbers and booleans become texts, a list of one value becomes that value; null and
 * objects go through as they are. A missing field and an empty list are left alone.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>source (String, Required) : The field to read.</li>
 *   <li>destination (String, Optional) : The field for the result; what it held is replaced. Defaults to
 *   the source.</li>
 * </ul>
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
}
