import {
  type Column,
  type Document,
  type DocumentTable,
  HeadraceError,
  RESERVED_FIELDS,
  Shape,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';

const parameters = Type.Object({
  /** What replaces a blank. */
  delimiter: Type.String({ default: '_' }),
  /** What replaces each other character that is not allowed. If it is empty, such characters are removed. */
  nonAlphanumReplacement: Type.String({ default: '' }),
  /** Whether the names inside objects, also of objects in lists, are changed in the same way. */
  nested: Type.Boolean({ default: false }),
});

/** The new names for all documents that share one shape (the same field names). */
interface Renaming {
  /** The new shape, or undefined if no name changes. */
  readonly shape: Shape | undefined;
  /** For each new field, the old position of its value. Undefined if all values keep their positions. */
  readonly origins: readonly number[] | undefined;
  /** The names of the fields without a value in the new shape. */
  readonly lost: readonly string[];
}

/**
 * Changes the names of all fields so that they contain only ASCII letters, digits, underscores and full stops.
 *
 * The delimiter replaces each blank in a name, and nonAlphanumReplacement each other character outside that set. By
 * default "First Name" becomes "First_Name", and "e-mail" becomes "email". Letters with accents and letters of other
 * alphabets are also replaced. Letter case and values do not change. Names inside objects change only with nested. Names inside
 * children do not change, nor do the engine's fields.
 *
 * If a new name equals that of another field, the renamed field replaces it. If several fields get the same new name,
 * the last one is kept. The other value is lost, which is a notice. A field without any remaining name, or with a reserved name ("run id"), fails the document.
 */
export class NormalizeFieldNames extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The columns of a spreadsheet',
      params: {},
      documents: [{ id: '1', 'First Name': 'Ann', 'e-mail': 'ann@example.com', 'Price (€)': 4 }],
      output: [{ id: '1', First_Name: 'Ann', email: 'ann@example.com', Price_: 4 }],
    },
    {
      description: 'Full stops between words, a sign for characters that are not allowed',
      params: { delimiter: '.', nonAlphanumReplacement: 'x' },
      documents: [{ id: '1', 'unit price/kg': 4 }],
      output: [{ id: '1', 'unit.pricexkg': 4 }],
    },
    {
      description: 'Names inside objects',
      params: { nested: true },
      documents: [{ id: '1', 'home address': { 'zip code': '10115', lines: [{ 'line 1': 'A street' }] } }],
      output: [{ id: '1', home_address: { zip_code: '10115', lines: [{ line_1: 'A street' }] } }],
    },
  ];

  readonly #delimiter: string;
  readonly #replacement: string;
  /** The cached renamings by shape. Most documents share their shape. */
  readonly #known = new WeakMap<Shape, Renaming>();

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const { delimiter, nonAlphanumReplacement } = params as Required<typeof params>;
    this.#delimiter = delimiter;
    this.#replacement = nonAlphanumReplacement;
  }

  override process(document: Document): void {
    if (this.params.nested) this.#renameInside(document);
    const { shape, origins, lost } = this.#renamingOf(document.shape);
    if (shape === undefined) return;
    for (const field of lost) {
      this.context.notices.report('field.replaced', { document: document.id, field, value: document.get(field) });
    }
    if (origins !== undefined) {
      const values = document.fieldValues;
      const kept = origins.map((at) => values[at] as Value);
      values.splice(0, values.length, ...kept);
    }
    document.shape = shape.share();
  }

  override processTable(table: DocumentTable): boolean {
    if (this.params.nested && hasObjects(table)) return false;
    const { names } = table;
    const { shape, origins } = this.#plan(names);
    if (origins !== undefined) return false;
    if (shape === undefined) return true;
    const columns = names.map((name) => table.column(name) as Column);
    for (const name of names) table.delete(name);
    shape.names.forEach((name, i) => {
      const column = columns[i] as Column;
      table.put(name, column, column.includes(undefined));
    });
    return true;
  }

  #renamingOf(shape: Shape): Renaming {
    const known = this.#known.get(shape);
    if (known !== undefined) return known;
    const renaming = this.#plan(shape.names);
    if (!shape.changing) this.#known.set(shape, renaming);
    return renaming;
  }

  #plan(names: readonly string[]): Renaming {
    const origins = new Map<string, number>();
    for (const [at, name] of names.entries()) {
      const to = RESERVED_FIELDS.has(name) ? name : this.#normalize(name);
      // A field that is renamed replaces an existing field with the new name. A field that keeps its name replaces
      // none.
      if (to !== name || !origins.has(to)) origins.set(to, at);
    }
    const renamed = [...origins.keys()];
    if (renamed.length === names.length) {
      const unchanged = renamed.every((name, at) => name === names[at]);
      return { shape: unchanged ? undefined : Shape.common(renamed), origins: undefined, lost: [] };
    }
    const kept = new Set(origins.values());
    const lost = names.filter((_, at) => !kept.has(at));
    return { shape: Shape.common(renamed), origins: [...origins.values()], lost };
  }

  #renameInside(document: Document): void {
    for (const name of document.fieldNames) {
      if (RESERVED_FIELDS.has(name)) continue;
      const value = document.get(name) as Value;
      const renamed = this.#renamed(value, name, document.id);
      if (renamed !== value) document.set(name, renamed);
    }
  }

  /**
   * Returns the value with the new names in all its objects; the same value if no name changes.
   * @param path where the value is in the document, for notices
   */
  #renamed(value: Value, path: string, document: string): Value {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#renamed(item, path, document));
      return items.some((item, i) => item !== value[i]) ? items : value;
    }
    if (!(value instanceof Map)) return value;
    const entries = [...value].map(([key, inner]): readonly [string, Value] => [
      key === '' ? key : this.#nameOf(key),
      this.#renamed(inner, `${path}.${key}`, document),
    ]);
    const keys = [...value.keys()];
    if (entries.every(([key, inner], i) => key === keys[i] && inner === value.get(key))) return value;
    const renamed = new Map<string, Value>();
    for (const [i, [key, inner]] of entries.entries()) {
      const replaces = key !== keys[i];
      const other = renamed.get(key);
      if (other !== undefined) {
        const field = `${path}.${keys[i]}`;
        this.context.notices.report('field.replaced', {
          document,
          field: replaces ? `${path}.${key}` : field,
          value: replaces ? other : inner,
        });
        if (!replaces) continue;
      }
      renamed.set(key, inner);
    }
    return renamed;
  }

  /** Returns the new name of a field of a document or an object. */
  #nameOf(name: string): string {
    const delimiter = this.#delimiter;
    const replacement = this.#replacement;
    const normalized = name.replace(/[^A-Za-z0-9_.]/gu, (character) => (character === ' ' ? delimiter : replacement));
    if (normalized === '') {
      throw new HeadraceError('HR_DOCUMENT_EMPTY_FIELD_NAME', `Nothing is left of the field name "${name}"`, {
        hint: 'Rename or delete the field in an earlier stage, or set nonAlphanumReplacement.',
      });
    }
    return normalized;
  }

  #normalize(name: string): string {
    const normalized = this.#nameOf(name);
    if (normalized === name) return name;
    if (RESERVED_FIELDS.has(normalized)) {
      throw new HeadraceError(
        'HR_DOCUMENT_RESERVED_FIELD',
        `Field "${name}" would become ${normalized}, which is a reserved field`,
        { hint: 'Rename or delete the field in an earlier stage.' },
      );
    }
    return normalized;
  }
}

function hasObjects(table: DocumentTable): boolean {
  return table.names.some((name) => table.column(name)?.some((value) => typeof value === 'object' && value !== null));
}
