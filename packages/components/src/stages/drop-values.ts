import {
  type Document,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  source: Type.Array(Type.String()),
  values: Type.Array(Type.String()),
});

/**
 * Removes given values from fields.
 * <p>
 * Values are compared as texts, letter case as given: "2" removes the number 2 too. What stays becomes a list of
 * texts, also where the field held a single value or numbers; null, objects and lists within the list are never
 * removed and stay as they are. A field with nothing left, or with an empty list before, is removed. Missing fields are passed over.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>source (List&lt;String&gt;, Required) : The fields, at least one.</li>
 *   <li>values (List&lt;String&gt;, Required) : The values to remove.</li>
 * </ul>
 */
export class DropValues extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Remove placeholders from a list',
      params: { source: ['authors'], values: ['unknown', 'n/a'] },
      documents: [
        { id: '1', authors: ['Ada', 'unknown'] },
        { id: '2', authors: 'n/a' },
      ],
      output: [{ id: '1', authors: ['Ada'] }, { id: '2' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.source.length === 0) yield { parameter: 'source', message: 'source must name at least one field' };
    for (const [i, name] of params.source.entries()) yield* checkDestination(`source[${i}]`, name);
  }

  readonly #dropped: ReadonlySet<string>;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#dropped = new Set(params.values);
  }

  override process(document: Document): void {
    for (const field of this.params.source) {
      const value = document.get(field);
      if (value === undefined) continue;
      const kept: Value[] = [];
      if (Array.isArray(value)) for (const item of value) this.#keep(item, kept);
      else this.#keep(value, kept);
      if (kept.length === 0) document.remove(field);
      else document.set(field, kept);
    }
  }

  #keep(value: Value, kept: Value[]): void {
    if (value === null || Array.isArray(value) || value instanceof Map) {
      kept.push(value);
      return;
    }
    const text = textOf(value) as string;
    if (!this.#dropped.has(text)) kept.push(text);
  }
}
