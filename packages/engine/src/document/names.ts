import { contractError, kindOf } from '../errors/contract-error.ts';
import { HeadraceError } from '../errors/headrace-error.ts';

/** The fields of the engine. Components may read them by name, but write them only with the methods for them. */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'run_id',
  '___children',
  '___dropped',
  '___skipped',
]);

const ARGUMENTS = 'The first argument of a method that changes a document is the name of a field: set("title", 5).';

/** Throws an error if a component must not write a field with this name. */
export function checkWritable(name: string): void {
  if (typeof name !== 'string') throw contractError(`The name of a field is ${kindOf(name)}, not a text`, ARGUMENTS);
  // The first character is enough for almost every name. A set look-up for each write would be measurably slow.
  const first = name.charCodeAt(0);
  if (first === 105 /* i */ || first === 114 /* r */ || first === 95 /* _ */) {
    if (RESERVED_FIELDS.has(name)) throw new HeadraceError('HR_DOCUMENT_RESERVED_FIELD', `${name} is a reserved field`);
  } else if (name === '') {
    throw new HeadraceError('HR_DOCUMENT_EMPTY_FIELD_NAME', 'Field name cannot be null or empty');
  }
}

const interned = new Map<string, string>();
const MAX_INTERNED = 50_000;
/** The maximum length of an interned name. Longer names would use too much memory. */
const MAX_INTERNED_LENGTH = 256;

/**
 * Returns the interned string for this text, so that a comparison of field names compares pointers. Names are usually
 * few and short. If there are too many, or if a name is too long (for example, keys that are data), the name is
 * returned unchanged.
 */
export function internName(name: string): string {
  const known = interned.get(name);
  if (known !== undefined) return known;
  if (interned.size >= MAX_INTERNED || name.length > MAX_INTERNED_LENGTH) return name;
  const holder: Record<string, true> = Object.create(null);
  holder[name] = true;
  const internal = Object.keys(holder)[0] as string;
  interned.set(internal, internal);
  return internal;
}

/**
 * Returns true if a name is interned and may therefore be stored for a long time. Any other name may be a slice that
 * keeps the whole original text in memory.
 */
export function isInterned(name: string): boolean {
  return interned.has(name);
}
