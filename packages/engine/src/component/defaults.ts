import type { Static, TObject, TSchema } from 'typebox';

/** Parameters of which those with a default may be absent. */
export type Given<P> = { readonly [K in keyof P]?: Nested<P[K]> };

type Nested<V> = V extends ReadonlyMap<string, unknown> | readonly unknown[] | string | number | boolean
  ? V
  : V extends object
    ? Given<V>
    : V;

/**
 * Adds the defaults of the schema to parameters that no config check has read: those of a block that is absent, or those
 * of a test. The check of a config applies the defaults itself.
 */
export function withDefaults<T extends TObject>(schema: T, given: Given<Static<T>> = {}): Static<T> {
  const filled: Record<string, unknown> = { ...given };
  for (const [key, property] of Object.entries(schema.properties as Record<string, TSchema>)) {
    const value = filled[key];
    const isObject = typeof value === 'object' && value !== null && 'properties' in property;
    if (isObject) filled[key] = withDefaults(property as TObject, value);
    else if (value === undefined && 'default' in property) filled[key] = property.default;
  }
  return filled as Static<T>;
}
