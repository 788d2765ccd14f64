import { HeadraceError } from '../errors/headrace-error.ts';

/** The fields that belong to the engine. Components may read them by name. Only their own methods write them. */
export const RESERVED_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'run_id',
  '___children',
  '___dropped',
  '___skipped',
]);

/** Throws unless a component may write a field of this name. */
export function checkWritable(name: string): void {
  // The first character decides for almost every name; a set lookup for each write would show in profiles.
  const first = name.charCodeAt(0);
  if (first === 105 /* i */ || first === 114 /* r */ || first === 95 /* _ */) {
    if (RESERVED_FIELDS.has(name)) throw new HeadraceError('HR_DOCUMENT_RESERVED_FIELD', `${name} is a reserved field`);
  } else if (name === '') {
    throw new HeadraceError('HR_DOCUMENT_EMPTY_FIELD_NAME', 'Field name cannot be null or empty');
  }
}

const interned = new Map<string, string>();
const MAX_INTERNED = 50_000;
/** Longer names are not kept in memory. */
const MAX_INTERNED_LENGTH = 256;

/**
 * The one string object of this text, in V8's table of internalized strings, so that comparing field names compares
 * pointers. Names are usually few and short. Beyond these limits (for example, keys that are data) a name is returned
 * unchanged.
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
 * Whether a name is interned, so that it may be stored for long. Another name may be a slice that keeps the whole
 * original text in memory.
 */
export function isInterned(name: string): boolean {
  return interned.has(name);
}
