import { type Document, Double, type Value, writeValue } from 'headrace/engine';

/** Returns the JSON of a vector. Throws if the field is not a list of numbers, which fails the document. */
export function vectorJson(document: Document, field: string): string {
  const values = document.get(field);
  if (values === undefined || values === null)
    throw new Error(`The field ${field}, which holds the vector, is missing`);
  if (!Array.isArray(values) || values.length === 0 || !values.every(isNumber)) {
    throw new Error(`The field ${field}, which holds the vector, must be a list of numbers`);
  }
  return writeValue(values);
}

function isNumber(value: Value): boolean {
  if (value instanceof Double) return Number.isFinite(value.value);
  return typeof value === 'number' && Number.isFinite(value);
}

/** The fields that are never sent: the marks of the engine. */
const MARKS: ReadonlySet<string> = new Set(['___dropped', '___skipped', '___children']);

/** Chooses the fields to send. */
export class FieldChoice {
  readonly #wanted: ReadonlySet<string> | undefined;
  readonly #unwanted: ReadonlySet<string>;

  /** @param unwanted more fields to omit, such as the vector */
  constructor(whitelist: readonly string[], blacklist: readonly string[], unwanted: readonly string[]) {
    this.#wanted = whitelist.length === 0 ? undefined : new Set(whitelist);
    this.#unwanted = new Set([...blacklist, ...unwanted]);
  }

  has(name: string): boolean {
    return (this.#wanted?.has(name) ?? true) && !this.#unwanted.has(name) && !MARKS.has(name);
  }
}
