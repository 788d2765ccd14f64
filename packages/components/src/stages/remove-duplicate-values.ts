import {
  type Document,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /**
   * For each list the field that receives its distinct values. At least one entry. With its own name, or null, the list
   * is changed in place. Distinct values are added to another field, even if it already has them.
   */
  fieldMapping: MapOf(Type.Unknown()),
});

/**
 * Removes repeated values from lists; the first of equal values stays.
 *
 * Values are equal if they are the same JSON: the number 1, the decimal 1.0 and the text "1" are three values, and the
 * order of the keys of an object does not matter. Null is a value too. A list with only one distinct value stays a
 * list. If the field is missing or not a list, nothing changes and no other field is created.
 */
export class RemoveDuplicateValues extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Distinct values of one list in place, of another in a separate field',
      params: { fieldMapping: { tags: 'tags', authors: 'distinct_authors' } },
      documents: [{ id: '1', tags: ['a', 'b', 'a'], authors: ['x', 'x'] }],
      output: [{ id: '1', authors: ['x', 'x'], tags: ['a', 'b'], distinct_authors: ['x'] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fieldMapping.size === 0) {
      yield { parameter: 'fieldMapping', message: 'fieldMapping must name at least one field' };
    }
    for (const [source, target] of params.fieldMapping) {
      const parameter = `fieldMapping.${source}`;
      if (target === null) yield* checkDestination(parameter, source);
      else if (typeof target === 'string') yield* checkDestination(parameter, target);
      else {
        yield {
          parameter,
          message: `${parameter} must be the name of a field or null`,
          hint: 'Put a name that looks like a number in quotes, and a name with a dot on the left side.',
        };
      }
    }
  }

  readonly #targets: readonly (readonly [source: string, dest: string])[];

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#targets = [...params.fieldMapping].map(([source, target]) => [source, (target as string | null) ?? source]);
  }

  override process(document: Document): void {
    for (const [source, dest] of this.#targets) {
      const values = document.get(source);
      if (!Array.isArray(values)) continue;
      const present = document.get(dest);
      if (present !== undefined && !Array.isArray(present)) {
        if (values.length === 0) continue;
        document.set(dest, [present]);
      }
      document.removeDuplicates(source, dest);
    }
  }
}
