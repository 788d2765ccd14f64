import type { TObject, TSchema } from 'typebox';

interface SchemaParts {
  readonly properties: Record<string, TSchema>;
  readonly entries: readonly [string, TSchema][];
  readonly required: ReadonlySet<string>;
}

const parts = new WeakMap<TObject, SchemaParts>();

/**
 * Returns the parts of a schema that the check needs, computed once. For each upload, the service checks about 12
 * schemas, so this code can run thousands of times in a second.
 */
export function partsOf(schema: TObject): SchemaParts {
  let found = parts.get(schema);
  if (found === undefined) {
    const properties = schema.properties as Record<string, TSchema>;
    found = { properties, entries: Object.entries(properties), required: new Set(requiredKeys(schema)) };
    parts.set(schema, found);
  }
  return found;
}

/**
 * Returns the parameters that a config must have. A parameter with a default need not be in the config, although the
 * schema lists it as required: its value is never absent.
 */
export function requiredKeys(schema: TObject): string[] {
  const { properties, required = [] } = schema as { properties: Record<string, TSchema>; required?: string[] };
  return required.filter((key) => !('default' in (properties[key] as TSchema)));
}

/** Returns true if a parameter has no effect and is accepted only because the reference has it. */
export function hasNoEffect(schema: TSchema): boolean {
  return (schema as { noEffect?: boolean }).noEffect === true;
}

/** Returns true if the schema is a map with any keys (`MapOf`). */
export function isMap(schema: TSchema): boolean {
  return (schema as { type?: string }).type === 'object' && 'patternProperties' in schema;
}

/** Returns the schema of the values of a map. */
export function mapValues(schema: TSchema): TSchema {
  return Object.values(
    (schema as unknown as { patternProperties: Record<string, TSchema> }).patternProperties,
  )[0] as TSchema;
}

/** Returns true if the schema accepts every value. */
export function isAny(schema: TSchema): boolean {
  return !('type' in schema) && !('anyOf' in schema) && !('const' in schema);
}
