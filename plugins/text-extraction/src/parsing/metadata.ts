/** Returns the name of a metadata field as Lucille writes it: `dc:title` becomes `dc_title`. */
export function cleanName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[ \-:]/g, '_');
}

/** Decides which metadata become fields. */
export class MetadataFilter {
  readonly #prefix: string;
  readonly #whitelist: ReadonlySet<string>;
  readonly #blacklist: ReadonlySet<string>;

  constructor(prefix: string, whitelist: readonly string[], blacklist: readonly string[]) {
    this.#prefix = prefix === '' ? '' : `${prefix}_`;
    this.#whitelist = new Set(whitelist);
    this.#blacklist = new Set(blacklist);
  }

  /** Returns the field for a clean name; undefined if the metadata is not wanted. */
  fieldOf(name: string): string | undefined {
    if (this.#blacklist.has(name)) return undefined;
    return this.#whitelist.size === 0 || this.#whitelist.has(name) ? this.#prefix + name : undefined;
  }
}
