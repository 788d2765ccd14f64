import {
  type Column,
  Document,
  type DocumentTable,
  MapOf,
  type ParameterProblem,
  Shape,
  Stage,
  type StageContext,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** New names by old names, at least one. */
  fieldMapping: MapOf(Type.String()),
  /**
   * What happens when a field of the new name exists: "overwrite" replaces its values, "append" makes it a list and
   * adds the renamed values, "skip" keeps it and removes the field of the old name.
   */
  updateMode: UpdateModeParameter,
  /**
   * Whether the fields of attached children, and of their children, are renamed too. Conditions of the stage see only
   * the document.
   */
  applyToChildren: Type.Boolean({ default: false }),
});

/**
 * Renames fields, their values unchanged.
 *
 * All fields are renamed together, so two fields can exchange their names, and in a chain (a to b, b to c) each value
 * moves one step. Missing fields are skipped. If several fields get the same new name, the later one in the config
 * wins. Names are literal: a dot does not lead into an object.
 */
export class RenameFields extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Rename two fields',
      params: { fieldMapping: { ttl: 'title', auth: 'author' } },
      documents: [{ id: '1', ttl: 'A title', auth: ['x', 'y'] }],
      output: [{ id: '1', title: 'A title', author: ['x', 'y'] }],
    },
    {
      description: 'Exchange the names of two fields',
      params: { fieldMapping: { first: 'last', last: 'first' } },
      documents: [{ id: '1', first: 'Lovelace', last: 'Ada' }],
      output: [{ id: '1', first: 'Ada', last: 'Lovelace' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fieldMapping.size === 0) {
      yield { parameter: 'fieldMapping', message: 'fieldMapping must name at least one field' };
    }
    for (const [from, to] of params.fieldMapping) {
      yield* checkDestination(`fieldMapping.${from}`, from);
      yield* checkDestination(`fieldMapping.${from}`, to);
    }
  }

  readonly #renames: readonly { readonly from: string; readonly to: string }[];
  readonly #mode: UpdateMode;
  /** True if the new name of one field is the old name of another. */
  readonly #overlapping: boolean;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#renames = Array.from(params.fieldMapping, ([from, to]) => ({ from, to }));
    this.#mode = params.updateMode;
    this.#overlapping = this.#renames.some(({ from, to }) => from !== to && params.fieldMapping.has(to));
  }

  override process(document: Document): void {
    this.#rename(document);
    if (this.params.applyToChildren === true && document.has('___children')) this.#renameChildren(document);
  }

  override processTable(table: DocumentTable): boolean {
    if (this.params.applyToChildren === true && table.has('___children')) return false;
    // All fields are taken before the first one is written, because names may be exchanged.
    const taken: { to: string; column: Column }[] = [];
    for (const { from, to } of this.#renames) {
      const column = table.column(from);
      if (column === undefined) continue;
      taken.push({ to, column });
      table.remove(from);
    }
    for (const { to, column } of taken) {
      const present = table.column(to);
      const values = present === undefined ? column : column.map((value, row) => this.#merged(present[row], value));
      table.set(to, values, values.includes(undefined));
    }
    return true;
  }

  /** Returns the value of a field after a field was renamed to its name. */
  #merged(present: Value | undefined, renamed: Value | undefined): Value | undefined {
    if (renamed === undefined) return present;
    if (present === undefined || this.#mode === 'overwrite') return renamed;
    return this.#mode === 'append' ? [...asList(present), ...asList(renamed)] : present;
  }

  #rename(document: Document): void {
    const renames = this.#renames;
    const mode = this.#mode;
    if (!this.#overlapping) {
      for (const { from, to } of renames) document.rename(from, to, mode);
      return;
    }
    const taken: { to: string; value: Value }[] = [];
    for (const { from, to } of renames) {
      const value = document.get(from);
      if (value === undefined) continue;
      taken.push({ to, value });
      document.remove(from);
    }
    for (const { to, value } of taken) {
      if (mode === 'overwrite' || !document.has(to)) document.set(to, value);
      else if (mode === 'append') document.set(to, [...document.values(to), ...asList(value)]);
    }
  }

  #renameChildren(document: Document): void {
    const children = document.values('___children').map((child) => {
      if (!(child instanceof Map)) return child;
      const renamed = new Document(Shape.common([...child.keys()]), [...child.values()]);
      this.#rename(renamed);
      if (renamed.has('___children')) this.#renameChildren(renamed);
      return new Map(renamed.fieldNames.map((name, i) => [name, renamed.fieldValues[i] as Value]));
    });
    document.put('___children', children);
  }
}

function asList(value: Value): Value[] {
  return Array.isArray(value) ? value : [value];
}
