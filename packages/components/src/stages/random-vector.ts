import {
  capped,
  type Document,
  double,
  type ParameterProblem,
  Stage,
  type Static,
  Type,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { drawInteger } from '../random/draw.ts';

const parameters = Type.Object({
  /** The fields to write. */
  fields: Type.Array(Type.String()),
  /** How many numbers a vector has, at least 1. */
  dimensions: Type.Integer({ minimum: 1, ...capped('maxItems') }),
  /**
   * What happens to a field that exists: "overwrite" replaces its values, "append" adds the numbers to them, "skip"
   * keeps them.
   */
  updateMode: UpdateModeParameter,
});

/**
 * The number of steps from 0 to 1. Neighbouring floats below 1 are closer than a step, so each number with seven
 * decimals is the shortest text of a different float. The numbers need no rounding.
 */
const STEPS = 10 ** 7;

/**
 * Fills fields with random vectors, to test vector search. Every field gets a different vector: a list of floats of
 * single precision, from -1 up to but not including 1. A vector of one dimension is a single value.
 */
export class RandomVector extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'A vector instead of an embedding',
      params: { fields: ['embedding'], dimensions: 3 },
      documents: [{ id: '1' }],
      output: [{ id: '1', embedding: [0.13457, -0.7020813, 0.9283] }],
      random: true,
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [i, field] of params.fields.entries()) yield* checkDestination(`fields[${i}]`, field);
  }

  override process(document: Document): void {
    const { fields, dimensions } = this.params;
    const mode = this.params.updateMode;
    for (const field of fields) {
      if (mode === 'skip' && document.has(field)) continue;
      const vector = randomVector(dimensions);
      if (mode === 'overwrite') document.set(field, dimensions === 1 ? (vector[0] as Value) : vector);
      else document.update(field, mode, vector);
    }
  }
}

function randomVector(dimensions: number): Value[] {
  const vector: Value[] = [];
  for (let i = 0; i < dimensions; i++) {
    vector.push(double(drawInteger(-STEPS, 2 * STEPS) / STEPS));
  }
  return vector;
}
