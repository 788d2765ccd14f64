import { type Document, type ParameterProblem, Stage, type StageContext, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field to write. */
  fieldName: Type.String({ default: 'data' }),
  /** The percentage of documents that get true, on average, from 0 (none) to 100 (all). Fractions are removed. */
  percentTrue: Type.Integer({ default: 50, minimum: 0, maximum: 100 }),
});

/** Writes true or false to a field, at random. The previous value is replaced. */
export class AddRandomBoolean extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Mark about a tenth of the documents',
      params: { fieldName: 'in_stock', percentTrue: 10 },
      documents: [{ id: '1' }],
      output: [{ id: '1', in_stock: false }],
      random: true,
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('fieldName', params.fieldName);
  }

  readonly #fieldName: string;
  readonly #chance: number;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const { fieldName, percentTrue } = params as Required<typeof params>;
    this.#fieldName = fieldName;
    this.#chance = percentTrue / 100;
  }

  override process(document: Document): void {
    document.set(this.#fieldName, Math.random() < this.#chance);
  }
}
