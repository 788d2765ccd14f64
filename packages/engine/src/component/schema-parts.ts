import type { TObject, TSchema } from 'typebox';

interface SchemaParts {
  readonly properties: Record<string, TSchema>;
  readonly entries: readonly [string, TSchema][];
  readonly required: ReadonlySet<string>;
}

const parts = new WeakMap<TObject, SchemaParts>();

/**
 * What reading needs from a schema, computed once. A service checks a dozen schemas for each upload, thousands of times
 * a second.
 */
export function partsOf(schema: TObject): SchemaParts {
  let found = parts.get(schema);
  if (found === undefined) {
    const properties = schema.properties as Record<string, TSchema>;
    const required = new Set((schema.required as string[] | undefined) ?? []);
    found = { properties, entries: Object.entries(properties), required };
    parts.set(schema, found);
  }
  return found;
}

/** Whether a parameter is accepted only because the reference has it. */
export function hasNoEffect(schema: TSchema): boolean {
  return (schema as { noEffect?: boolean }).noEffect === true;
}

/** Whether it is a map of any keys (`MapOf`). */
export function isMap(schema: TSchema): boolean {
  return (schema as { type?: string }).type === 'object' && 'patternProperties' in schema;
}

/** The schema of the values of a map. */
export function mapValues(schema: TSchema): TSchema {
  return Object.values(
    (schema as unknown as { patternProperties: Record<string, TSchema> }).patternProperties,
  )[0] as TSchema;
}

/** Whether every value is valid for it. */
export function isAny(schema: TSchema): boolean {
  return !('type' in schema) && !('anyOf' in schema) && !('const' in schema);
}
