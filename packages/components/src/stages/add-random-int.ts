import { type Document, type ParameterProblem, Stage, type StageContext, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { checkRange, drawInteger } from '../random/draw.ts';

const parameters = Type.Object({
  fieldName: Type.Optional(Type.String({ default: 'data' })),
  rangeStart: Type.Optional(Type.Integer({ default: 0 })),
  rangeEnd: Type.Optional(Type.Integer({ default: 1_000_000 })),
});

/**
 * Writes a random integer to a field, each number of the range equally likely. What the field held is replaced.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fieldName (String, Optional) : The field to write. Defaults to "data".</li>
 *   <li>rangeStart (Integer, Optional) : The smallest number that may come. Defaults to 0.</li>
 *   <li>rangeEnd (Integer, Optional) : The end of the range, greater than rangeStart; this number itself never comes.
 *   Defaults to 1000000.</li>
 * </ul>
 */
export class AddRandomInt extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'A range with one number in it',
      params: { fieldName: 'rating', rangeStart: 5, rangeEnd: 6 },
      documents: [{ id: '1' }],
      output: [{ id: '1', rating: 5 }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { fieldName, rangeStart, rangeEnd } = params as Required<typeof params>;
    yield* checkDestination('fieldName', fieldName);
    yield* checkRange('rangeEnd', rangeStart, rangeEnd, 'number');
  }

  readonly #fieldName: string;
  readonly #rangeStart: number;
  readonly #count: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const { fieldName, rangeStart, rangeEnd } = params as Required<typeof params>;
    this.#fieldName = fieldName;
    this.#rangeStart = rangeStart;
    this.#count = rangeEnd - rangeStart;
  }

  override process(document: Document): void {
    document.set(this.#fieldName, drawInteger(this.#rangeStart, this.#count));
  }
}
