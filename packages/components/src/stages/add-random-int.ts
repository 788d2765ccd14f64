import { type Document, type ParameterProblem, Stage, type StageContext, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { checkRange, drawInteger } from '../random/draw.ts';

const parameters = Type.Object({
  /** The field to write. */
  fieldName: Type.String({ default: 'data' }),
  /** The smallest possible number. */
  rangeStart: Type.Integer({ default: 0 }),
  /** The end of the range, greater than rangeStart. The number itself is not part of the range. */
  rangeEnd: Type.Integer({ default: 1_000_000 }),
});

/** Writes a random integer to a field. Each number of the range is equally likely. The previous value is replaced. */
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
