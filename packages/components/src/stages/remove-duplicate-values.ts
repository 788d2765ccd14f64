import {
  type Column,
  copyValue,
  type Document,
  type DocumentTable,
  distinctValues,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
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

  override processTable(table: DocumentTable): boolean {
    return this.#targets.every(([source, dest]) => {
      const lists = table.column(source);
      if (lists === undefined) return true;
      return source === dest ? shortenLists(table, source, lists) : addDistinct(table, lists, dest);
    });
  }
}

/**
 * Removes repeated values. A list that becomes shorter moves to the end of its document. A table cannot do that for some
 * of its documents, and then the result is false.
 */
function shortenLists(table: DocumentTable, name: string, lists: Column): boolean {
  let moved = 0;
  let kept = 0;
  const column = lists.map((list) => {
    const unique = Array.isArray(list) ? distinctValues(list) : undefined;
    if (unique !== undefined && unique.length < (list as Value[]).length) {
      moved++;
      return unique;
    }
    if (list !== undefined) kept++;
    return list;
  });
  if (moved === 0) return true;
  if (kept > 0 && table.names.at(-1) !== name) return false;
  table.remove(name);
  table.set(name, column, column.includes(undefined));
  return true;
}

function addDistinct(table: DocumentTable, lists: Column, dest: string): boolean {
  const present = table.column(dest);
  const column = lists.map((list, row) => {
    const before = present?.[row];
    if (!Array.isArray(list)) return before;
    const unique = distinctValues(list).map(copyValue);
    if (before === undefined) return unique;
    if (Array.isArray(before)) return [...before, ...unique];
    return list.length === 0 ? before : [before, ...unique];
  });
  if (present !== undefined || column.some((value) => value !== undefined)) {
    table.set(dest, column, column.includes(undefined));
  }
  return true;
}
