import {
  type Document,
  type DocumentTable,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** For each field whose values are counted, the field that receives the count. */
  fieldMapping: MapOf(Type.String()),
});

/**
 * Writes how many values fields have to other fields.
 *
 * A missing field and an empty list count 0, a single value (including null and an object) 1, a list its size. The
 * length of a text does not matter. The count replaces the previous value of the target.
 */
export class Length extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Count the tags of a document',
      params: { fieldMapping: { tags: 'tag_count' } },
      documents: [{ id: '1', tags: ['a', 'b', 'c'] }, { id: '2' }],
      output: [
        { id: '1', tags: ['a', 'b', 'c'], tag_count: 3 },
        { id: '2', tag_count: 0 },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [source, dest] of params.fieldMapping) yield* checkDestination(`fieldMapping.${source}`, dest);
  }

  readonly #targets: readonly (readonly [source: string, dest: string])[];

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#targets = [...params.fieldMapping];
  }

  override process(document: Document): void {
    for (const [source, dest] of this.#targets) document.set(dest, document.length(source));
  }

  override processTable(table: DocumentTable): boolean {
    for (const [source, dest] of this.#targets) {
      const values = table.column(source);
      const lengths: number[] = new Array(table.count);
      for (let row = 0; row < lengths.length; row++) {
        const value = values?.[row];
        lengths[row] = value === undefined ? 0 : Array.isArray(value) ? value.length : 1;
      }
      table.set(dest, lengths, false);
    }
    return true;
  }
}
