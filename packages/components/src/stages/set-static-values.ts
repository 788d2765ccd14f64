import {
  copyValue,
  type Document,
  type DocumentTable,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The values by field. Put a field name with a dot in quotes: without them it means an object. */
  staticValues: MapOf(Type.Unknown()),
  /**
   * What happens to a field that exists: "overwrite" replaces its values, "append" adds to them (a list value by
   * value), "skip" keeps them.
   */
  updateMode: UpdateModeParameter,
  /** Whether the document is also marked as skipped, so that later stages ignore it, even if no value was written. */
  skipDocument: Type.Boolean({ default: false }),
});

/**
 * Sets fields to constant values.
 *
 * A value may be a text, a number, a boolean, null, an object, or a list, which makes a field of several values. A
 * whole number is an integer, also when it is written 1.0.
 */
export class SetStaticValues extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Record where documents come from, unless they already have the fields',
      params: { staticValues: { source: 'wiki', tags: ['imported', 'wiki'] }, updateMode: 'skip' },
      documents: [{ id: '1' }, { id: '2', source: 'mail' }],
      output: [
        { id: '1', source: 'wiki', tags: ['imported', 'wiki'] },
        { id: '2', source: 'mail', tags: ['imported', 'wiki'] },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const name of params.staticValues.keys()) yield* checkDestination(`staticValues.${name}`, name);
  }

  readonly #values: readonly { readonly field: string; readonly value: Value }[];

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#values = Array.from(params.staticValues as ReadonlyMap<string, Value>, ([field, value]) => ({
      field,
      value,
    }));
  }

  override process(document: Document): void {
    const { updateMode, skipDocument } = this.params;
    for (const { field, value } of this.#values) {
      if (updateMode === 'overwrite' || !document.has(field)) document.set(field, copyValue(value));
      else if (updateMode === 'append') {
        if (Array.isArray(value)) for (const item of value) document.add(field, copyValue(item));
        else document.add(field, copyValue(value));
      }
    }
    if (skipDocument === true) document.skip();
  }

  override processTable(table: DocumentTable): boolean {
    const { updateMode, skipDocument } = this.params;
    for (const { field, value } of this.#values) {
      const present = updateMode === 'overwrite' ? undefined : table.column(field);
      if (present === undefined && (typeof value === 'string' || typeof value === 'number')) {
        table.fill(field, value);
        continue;
      }
      const column = new Array<Value>(table.count).fill(value);
      for (let row = 0; row < column.length; row++) {
        const before = present?.[row];
        // Documents may share texts, numbers and similar values. Objects need a copy.
        if (before === undefined) {
          if (typeof value === 'object') column[row] = copyValue(value);
        } else if (updateMode === 'skip') column[row] = before;
        else {
          const added = Array.isArray(value) ? value.map(copyValue) : [copyValue(value)];
          column[row] = Array.isArray(before) ? [...before, ...added] : [before, ...added];
        }
      }
      table.set(field, column, false);
    }
    if (skipDocument === true) table.fill('___skipped', true);
    return true;
  }
}
