import {
  type Document,
  type DocumentTable,
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
  /** The fields, at least one. */
  source: Type.Array(Type.String()),
  /** The values to remove. */
  values: Type.Array(Type.String()),
});

/**
 * Removes given values from fields.
 *
 * Values are compared as texts, and letter case counts: "2" also removes the number 2. The remaining values become a
 * list of texts, also if the field had a single value or numbers. Null, objects and lists inside the list are never
 * removed and do not change. A field without remaining values, or with an empty list before, is removed. Missing fields
 * are skipped.
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
      const kept = this.#kept(value);
      if (kept.length === 0) document.remove(field);
      else document.set(field, kept);
    }
  }

  override processTable(table: DocumentTable): boolean {
    for (const field of this.params.source) {
      const values = table.column(field);
      if (values === undefined) continue;
      const column = values.map((value) => {
        const kept = value === undefined ? [] : this.#kept(value);
        return kept.length === 0 ? undefined : kept;
      });
      if (column.every((value) => value === undefined)) table.remove(field);
      else table.set(field, column, column.includes(undefined));
    }
    return true;
  }

  #kept(value: Value): Value[] {
    const kept: Value[] = [];
    if (Array.isArray(value)) for (const item of value) this.#keep(item, kept);
    else this.#keep(value, kept);
    return kept;
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
