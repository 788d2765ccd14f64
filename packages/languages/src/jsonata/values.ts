/** The values of expressions: JSON with exact numbers. Objects are maps, so that any name is allowed. */
export type Value = string | number | boolean | null | bigint | Double | Uint8Array | Value[] | JsonObject;

/** An object, its members in order. */
export type JsonObject = Map<string, Value>;

/**
 * A number that keeps its kind, such as `1.0`, as an object of the caller. Expressions that only move it keep it
 * unchanged.
 */
export interface Double {
  readonly value: number;
}

/** Returns whether a value is a number that keeps its kind. */
export function isDouble(value: unknown): value is Double {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof Map || value instanceof Uint8Array);
}

/** Returns a deep copy. Scalars are returned unchanged, because they are immutable. */
export function copyValue(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyValue);
  // The `slice` of a Buffer shares its memory with the Buffer.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (!(value instanceof Map)) return value;
  const copy: JsonObject = new Map();
  for (const [key, member] of value) copy.set(key, copyValue(member));
  return copy;
}
