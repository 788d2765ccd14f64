import {
  type Document,
  double,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { checkRange } from '../random/draw.ts';

const parameters = Type.Object({
  /** The field to write. */
  fieldName: Type.String({ default: 'data' }),
  /** The smallest possible number. */
  rangeStart: Type.Number({ default: 0 }),
  /** The end of the range, greater than rangeStart. The number itself is not part of the range. */
  rangeEnd: Type.Number({ default: 1_000_000 }),
});

/**
 * Writes a random decimal number to a field. All parts of the range are equally likely. The previous value is replaced.
 */
export class AddRandomDouble extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'A price below 100',
      params: { fieldName: 'price', rangeStart: 0.5, rangeEnd: 100 },
      documents: [{ id: '1' }],
      output: [{ id: '1', price: 42.19 }],
      random: true,
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { fieldName, rangeStart, rangeEnd } = params as Required<typeof params>;
    yield* checkDestination('fieldName', fieldName);
    yield* checkRange('rangeEnd', rangeStart, rangeEnd, 'number');
    if (rangeEnd - rangeStart === Number.POSITIVE_INFINITY) {
      yield { parameter: 'rangeEnd', message: `The range from ${rangeStart} to ${rangeEnd} is too wide for a double` };
    }
  }

  readonly #fieldName: string;
  readonly #rangeStart: number;
  readonly #rangeEnd: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const { fieldName, rangeStart, rangeEnd } = params as Required<typeof params>;
    this.#fieldName = fieldName;
    this.#rangeStart = rangeStart;
    this.#rangeEnd = rangeEnd;
  }

  override process(document: Document): void {
    document.set(this.#fieldName, double(this.#draw()));
  }

  #draw(): number {
    const rangeStart = this.#rangeStart;
    const rangeEnd = this.#rangeEnd;
    for (;;) {
      const number = rangeStart + Math.random() * (rangeEnd - rangeStart);
      // In a narrow range, rounding may return the end of the range, which is excluded.
      if (number < rangeEnd) return number;
    }
  }
}
