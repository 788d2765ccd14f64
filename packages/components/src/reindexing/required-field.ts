import type { Json } from './types.ts';

/** How to count the documents with a field: a query, or why no query can. */
export type FieldCheck = { readonly query: Json } | { readonly because: string };

/** The mappings of an index, or the mapping of a field. */
interface Mapping {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Mapping>>;
  readonly fields?: Readonly<Record<string, Mapping>>;
  readonly runtime?: Readonly<Record<string, unknown>>;
  readonly derived?: Readonly<Record<string, unknown>>;
  readonly dynamic?: unknown;
  readonly enabled?: unknown;
  readonly index?: unknown;
  readonly doc_values?: unknown;
  readonly store?: unknown;
  readonly path?: string;
}

/** A field that was found in the mappings. */
interface Found {
  readonly mapping: Mapping;
  /** The paths of the `nested` objects around it, from the outside. */
  readonly nested: readonly string[];
}

/** Fields of any keys: the mapping does not list them. */
const FLAT: readonly (string | undefined)[] = ['flattened', 'flat_object'];
/** Fields without doc values, unless the mapping has `doc_values: true`. */
const WITHOUT_DOC_VALUES: readonly (string | undefined)[] = ['text', 'binary', 'match_only_text'];

/**
 * Returns how to count the documents that have a field: an `exists` query, inside a `nested` query for each nested
 * object around the field. A document has a field of nested objects if at least one of the objects has it.
 * @param mappings of the index, as the search engine returns them
 */
export function requiredField(mappings: Json, field: string): FieldCheck {
  const root = mappings as Mapping;
  if (root.runtime?.[field] !== undefined || root.derived?.[field] !== undefined) return { query: exists(field) };
  return fieldCheck(root, field, field);
}

/** @param named the field in the config. It may be an alias of the field */
function fieldCheck(root: Mapping, field: string, named: string): FieldCheck {
  const found = find(root, field);
  if ('because' in found) return found;
  const { mapping, nested } = found;
  if (mapping.type === 'alias') {
    const { path = '' } = mapping;
    // An alias cannot point to an alias.
    return field === named ? fieldCheck(root, path, named) : { because: `${named} is an alias without a field` };
  }
  const because = unsearchable(mapping, field);
  if (because !== undefined) return { because };
  return { query: inside(nested, existsIn(mapping, field)) };
}

/** Returns the field of a path, or why documents with it cannot be counted. */
function find(root: Mapping, field: string): Found | { because: string } {
  const names = field.split('.');
  const nested: string[] = [];
  let mapping = root;
  let { dynamic } = root;
  let at = 0;
  while (at < names.length) {
    if (mapping.enabled === false) return { because: disabled(names.slice(0, at).join('.') || 'the mapping') };
    const rest = names.slice(at).join('.');
    const multi = mapping.fields?.[rest];
    if (multi !== undefined) return { mapping: multi, nested };
    // The keys of a flattened field need no mapping. `exists` finds them.
    if (FLAT.includes(mapping.type)) return { mapping: {}, nested };
    // With `subobjects: false`, a name contains dots.
    const length = nameLength(mapping, names, at);
    if (length === 0) return unmapped(field, dynamic, nested);
    mapping = mapping.properties?.[names.slice(at, at + length).join('.')] as Mapping;
    dynamic = mapping.dynamic ?? dynamic;
    at += length;
    if (mapping.type === 'nested' && at < names.length) nested.push(names.slice(0, at).join('.'));
  }
  return { mapping, nested };
}

/** Returns how many names after a position are one name in the mapping; 0 if none is. */
function nameLength({ properties = {} }: Mapping, names: readonly string[], at: number): number {
  for (let length = names.length - at; length > 0; length--) {
    if (Object.hasOwn(properties, names.slice(at, at + length).join('.'))) return length;
  }
  return 0;
}

function unmapped(field: string, dynamic: unknown, nested: readonly string[]): Found | { because: string } {
  if (String(dynamic) === 'false') {
    return {
      because: `${field} is not in the mapping, and dynamic is false there: the search engine does not index it`,
    };
  }
  // The search engine would have added the field with the first document that has it.
  return { mapping: {}, nested };
}

function disabled(path: string): string {
  return `${path} has enabled: false: the search engine stores it, but does not index it`;
}

/** Returns why `exists` never finds a field. */
function unsearchable({ type, enabled, index, doc_values, store }: Mapping, field: string): string | undefined {
  if (enabled === false) return disabled(field);
  const isWithout = WITHOUT_DOC_VALUES.includes(type);
  const hasDocValues = isWithout ? doc_values === true : doc_values !== false;
  const isIndexed = type === 'binary' ? false : index !== false;
  if (hasDocValues || isIndexed || store === true) return undefined;
  return `${field} (${type}) has neither an index nor doc values, so that no query finds the documents that have it`;
}

/** Returns a query for the documents with a field, without the nested objects around it. */
function existsIn(mapping: Mapping, field: string): Json {
  if (mapping.type === 'nested') return { nested: { path: field, query: { match_all: {} } } };
  const nested = nestedIn(mapping, field);
  if (nested.length === 0) return exists(field);
  // `exists` of an object does not see the fields of nested objects in it.
  const queries = [exists(field), ...nested.map((path) => ({ nested: { path, query: { match_all: {} } } }))];
  return { bool: { should: queries, minimum_should_match: 1 } };
}

/** Returns the paths of the outermost nested objects in an object. */
function nestedIn({ properties = {} }: Mapping, path: string): string[] {
  return Object.entries(properties).flatMap(([name, mapping]) => {
    const inner = `${path}.${name}`;
    return mapping.type === 'nested' ? [inner] : nestedIn(mapping, inner);
  });
}

function exists(field: string): Json {
  return { exists: { field } };
}

function inside(nested: readonly string[], query: Json): Json {
  return nested.reduceRight<Json>((inner, path) => ({ nested: { path, query: inner } }), query);
}
