import {
  type Document,
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
  delimiter: Type.Optional(Type.String({ default: '_' })),
  nonAlphanumReplacement: Type.Optional(Type.String({ default: '' })),
});

/** What becomes of documents with certain fields. */
interface Renaming {
  /** Their new fields; undefined when the names are good as they are. */
  readonly shape: Shape | undefined;
  /** Where the value of each new field stood; undefined when all values stay in their places. */
  readonly origins: readonly number[] | undefined;
}

/**
 * Rewrites the names of all fields, so that they hold nothing but ASCII letters, digits, underscores and full stops.
 * <p>
 * Each blank in a name is replaced by the delimiter, every other character outside of that set by
 * nonAlphanumReplacement: by default "First Name" becomes "First_Name", and "e-mail" becomes "email". Letters with
 * accents and those of other alphabets are such characters too. Letter case stays, and so do values; names inside of
 * objects and children do not change, nor do the engine's own fields.
 * <p>
 * When a new name is that of another field, the renamed field replaces it; of several fields with the same new name the
 * last is kept. A field that is left without a name, or with that of a reserved field ("run id"), fails the document.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>delimiter (String, Optional) : What replaces a blank. Defaults to "_".</li>
 *   <li>nonAlphanumReplacement (String, Optional) : What replaces each other character that is not allowed. Defaults to
 *   nothing: such characters are removed.</li>
 * </ul>
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
      description: 'Full stops between words, a sign for what is not allowed',
      params: { delimiter: '.', nonAlphanumReplacement: 'x' },
      documents: [{ id: '1', 'unit price/kg': 4 }],
      output: [{ id: '1', 'unit.pricexkg': 4 }],
    },
  ];

  readonly #delimiter: string;
  readonly #replacement: string;
  /** By the fields that documents have, which most have in common. */
  readonly #known = new WeakMap<Shape, Renaming>();

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    const { delimiter, nonAlphanumReplacement } = params as Required<typeof params>;
    this.#delimiter = delimiter;
    this.#replacement = nonAlphanumReplacement;
  }

  override process(document: Document): void {
    const { shape, origins } = this.#renamingOf(document.shape);
    if (shape === undefined) return;
    if (origins !== undefined) {
      const values = document.fieldValues;
      const kept = origins.map((at) => values[at] as Value);
      values.splice(0, values.length, ...kept);
    }
    document.shape = shape.share();
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
      // Only a renamed field replaces another one: a field that has the name already gives way.
      if (to !== name || !origins.has(to)) origins.set(to, at);
    }
    const renamed = [...origins.keys()];
    if (renamed.length === names.length) {
      const unchanged = renamed.every((name, at) => name === names[at]);
      return { shape: unchanged ? undefined : Shape.common(renamed), origins: undefined };
    }
    return { shape: Shape.common(renamed), origins: [...origins.values()] };
  }

  #normalize(name: string): string {
    const delimiter = this.#delimiter;
    const replacement = this.#replacement;
    const normalized = name.replace(/[^A-Za-z0-9_.]/gu, (character) => (character === ' ' ? delimiter : replacement));
    if (normalized === name) return name;
    if (normalized === '') {
      throw new HeadraceError('HR_DOCUMENT_EMPTY_FIELD_NAME', `Nothing is left of the field name "${name}"`, {
        hint: 'Rename or delete the field before, or set nonAlphanumReplacement.',
      });
    }
    if (RESERVED_FIELDS.has(normalized)) {
      throw new HeadraceError(
        'HR_DOCUMENT_RESERVED_FIELD',
        `Field "${name}" would become ${normalized}, which is a reserved field`,
        { hint: 'Rename or delete the field before.' },
      );
    }
    return normalized;
  }
}
