import {
  copyValue,
  type Document,
  type DocumentTable,
  getNested,
  HeadraceError,
  MapOf,
  mapColumn,
  type NestedPath,
  nestedValue,
  type ParameterProblem,
  parseNestedPath,
  RESERVED_FIELDS,
  requireHeap,
  Stage,
  type StageContext,
  type Static,
  setNested,
  Type,
  textOf,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /**
   * For each field, the field to copy it to, or a list of fields. At least one entry. A name with a dot must be in
   * quotes.
   */
  fieldMapping: MapOf(Type.Union([Type.String(), Type.Array(Type.String())]), {
    javaType: 'java.util.Map<java.lang.String, java.lang.Object>',
  }),
  /** What happens to a destination that exists: "overwrite", "append" or "skip". Has no effect if isNested is true. */
  updateMode: UpdateModeParameter,
  /** Whether the names are paths. */
  isNested: Type.Boolean({ default: false }),
});

const BYTES_PER_VALUE = 8;

/** A copy from one path to another. */
interface NestedCopy {
  readonly source: NestedPath;
  readonly dest: NestedPath;
}

/**
 * Copies fields to other fields. Missing fields are skipped. Entries are processed in order.
 *
 * Names are literal, including dots. Numbers, booleans and bytes become texts; null, objects and nested lists do not
 * change. A list of one value becomes that value. An empty list is not copied.
 *
 * With isNested, the names are paths into objects and lists, such as author.name or authors[0].name. Every value is
 * copied unchanged and replaces the existing one. Missing objects and lists in the path are created. An index may be
 * one beyond the end of a list, which adds an element. A path that does not fit (a greater index, or a path through a
 * text or a number) fails the document.
 */
export class CopyFields extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Search a title in two ways',
      params: { fieldMapping: { title: ['title_exact', 'all'], author: 'all' }, updateMode: 'append' },
      documents: [{ id: '1', title: 'Emma', author: 'Jane Austen' }],
      output: [{ id: '1', title: 'Emma', author: 'Jane Austen', title_exact: 'Emma', all: ['Emma', 'Jane Austen'] }],
    },
    {
      description: 'Take a value out of an object',
      params: { fieldMapping: { 'author.born': 'year' }, isNested: true },
      documents: [{ id: '1', author: { name: 'Jane Austen', born: 1775 } }],
      output: [{ id: '1', author: { name: 'Jane Austen', born: 1775 }, year: 1775 }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fieldMapping.size === 0) {
      yield { parameter: 'fieldMapping', message: 'fieldMapping must name at least one field' };
    }
    if (params.isNested === true && params.updateMode !== 'overwrite') {
      yield {
        parameter: 'updateMode',
        severity: 'warning',
        message: 'updateMode has no effect if isNested is true: the existing value is replaced',
      };
    }
    for (const [source, dests] of params.fieldMapping) {
      const parameter = `fieldMapping.${source}`;
      if (params.isNested === true) yield* checkPath(parameter, source);
      for (const dest of [dests].flat()) {
        if (params.isNested === true) yield* checkDestinationPath(parameter, dest);
        else yield* checkDestination(parameter, dest);
      }
    }
  }

  readonly #copies: readonly { readonly source: string; readonly dest: string }[];
  readonly #nestedCopies: readonly NestedCopy[];
  readonly #updateMode: UpdateMode;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const copies = [...params.fieldMapping].flatMap(([source, dests]) =>
      [dests].flat().map((dest) => ({ source, dest })),
    );
    this.#copies = params.isNested === true ? [] : copies;
    this.#nestedCopies = params.isNested === true ? copies.flatMap(nestedCopy) : [];
    this.#updateMode = params.updateMode;
  }

  override process(document: Document): void {
    for (const { source, dest } of this.#copies) {
      const value = document.get(source);
      if (value === undefined) continue;
      document.update(dest, this.#updateMode, Array.isArray(value) ? copyOfList(value) : [flatCopy(value)]);
    }
    for (const { source, dest } of this.#nestedCopies) {
      const value = getNested(document, source);
      if (value !== undefined) setNested(document, dest, copyValue(value));
    }
  }

  override processTable(table: DocumentTable): boolean {
    for (const { source, dest } of this.#nestedCopies) if (!copyNestedColumn(table, source, dest)) return false;
    const copy = (value: Value) => (Array.isArray(value) ? copyOfList(value) : flatCopy(value));
    for (const { source, dest } of this.#copies) mapColumn(table, source, dest, this.#updateMode, copy);
    return true;
  }
}

/** Copies values at a path to a field. Returns false if the destination is inside of a field. */
function copyNestedColumn(table: DocumentTable, source: NestedPath, dest: NestedPath): boolean {
  if (dest.length > 1) return false;
  const name = dest[0] as string;
  const roots = table.column(source[0] as string);
  if (roots === undefined) return true;
  const present = table.column(name);
  const column = roots.map((root, row) => {
    const value = nestedValue(root, source);
    return value === undefined ? present?.[row] : copyValue(value);
  });
  if (present !== undefined || column.some((value) => value !== undefined)) {
    table.set(name, column, column.includes(undefined));
  }
  return true;
}

/** Returns the copies of a list. The list to which they are added may become three times as long. */
function copyOfList(list: readonly Value[]): Value[] {
  requireHeap(3 * BYTES_PER_VALUE * list.length);
  return list.map(flatCopy);
}

function flatCopy(value: Value): Value {
  if (typeof value === 'string') return value;
  return value === null || Array.isArray(value) || value instanceof Map ? copyValue(value) : textOf(value);
}

function nestedCopy({ source, dest }: { source: string; dest: string }): NestedCopy[] {
  const copy = { source: parseNestedPath(source), dest: parseNestedPath(dest) };
  return RESERVED_FIELDS.has(copy.dest[0] as string) ? [] : [copy];
}

function* checkDestinationPath(parameter: string, path: string): Generator<ParameterProblem> {
  const problems = [...checkPath(parameter, path)];
  yield* problems;
  if (problems.length > 0) return;
  const root = parseNestedPath(path)[0] as string;
  // The reference skips the copy to a reserved field in each document, so a config with such a copy must still run.
  for (const problem of checkDestination(parameter, root)) yield { ...problem, severity: 'warning' };
}

function* checkPath(parameter: string, path: string): Generator<ParameterProblem> {
  try {
    if (parseNestedPath(path).length === 0) yield { parameter, message: `"${path}" is not a path to a field` };
  } catch (error) {
    if (!(error instanceof HeadraceError)) throw error;
    yield { parameter, message: error.message };
  }
}
