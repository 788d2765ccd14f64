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
  fieldName: Type.Optional(Type.String({ default: 'data' })),
  rangeStart: Type.Optional(Type.Number({ default: 0 })),
  rangeEnd: Type.Optional(Type.Number({ default: 1_000_000 })),
});

/**
 * Writes a random decimal number to a field, all parts of the range equally likely. What the field held is replaced.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>fieldName (String, Optional) : The field to write. Defaults to "data".</li>
 *   <li>rangeStart (Double, Optional) : The smallest number that may come. Defaults to 0.0.</li>
 *   <li>rangeEnd (Double, Optional) : The end of the range, greater than rangeStart; this number itself never comes.
 *   Defaults to 1000000.0.</li>
 * </ul>
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
      // In a narrow range rounding may lead to the end, which is not part of it.
      if (number < rangeEnd) return number;
    }
  }
}
