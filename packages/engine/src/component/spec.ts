import type { TObject, TSchema } from 'typebox';
import { requiredKeys } from './schema-parts.ts';

/** The type of a parameter in the format of the reference, as `config-info` returns it. */
export type SpecType =
  | { type: 'STRING' | 'NUMBER' | 'BOOLEAN' }
  | { type: 'OBJECT'; child: { fields: SpecField[] } }
  | { type: 'OBJECT'; typeReference: string };

/** A parameter in the format of the reference, with the additions of Headrace if the schema has them. */
export interface SpecField {
  name: string;
  required: boolean;
  type: SpecType;
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

/**
 * Returns the parameters of a schema in the format of the reference, sorted by name. A parameter with several simple
 * types is listed once for each type. The parameters of a `FLAT` object are listed at the same level, with dotted
 * names.
 * @param descriptions the descriptions by parameter, with `outer.inner` for nested ones; they override those of the
 * schema
 * @param prefix the prefix of a name in `descriptions`
 */
export function specFields(
  schema: TObject,
  descriptions: Readonly<Record<string, string>> = {},
  prefix = '',
): SpecField[] {
  const required = new Set(requiredKeys(schema));
  return Object.entries(schema.properties as Record<string, TSchema>)
    .flatMap(([name, property]) => {
      if ((property as { flat?: boolean }).flat === true) {
        return specFields(property as TObject, descriptions, `${prefix}${name}.`).map((field) => ({
          ...field,
          name: `${name}.${field.name}`,
          required: field.required && required.has(name),
        }));
      }
      return specTypes(property, descriptions, `${prefix}${name}.`).map((type) => ({
        name,
        required: required.has(name),
        type,
        ...describe(descriptions[prefix + name] ?? (property as { description?: string }).description),
        ...constraints(property),
      }));
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describe(description: string | undefined): { description?: string } {
  return description === undefined ? {} : { description };
}

function specTypes(schema: TSchema, descriptions: Readonly<Record<string, string>>, prefix: string): SpecType[] {
  const choices = (schema as { anyOf?: TSchema[] }).anyOf ?? [];
  const plain = choices.every((choice) => !('const' in choice) && (choice as { type?: string }).type !== 'object');
  return (choices.length > 0 && plain && !('javaType' in schema) ? choices : [schema]).map((choice) =>
    specType(choice, descriptions, prefix),
  );
}

function specType(schema: TSchema, descriptions: Readonly<Record<string, string>>, prefix: string): SpecType {
  const { type, javaType: declared } = schema as { type?: string; javaType?: string };
  if (declared !== undefined) return { type: 'OBJECT', typeReference: declared };
  if (type === 'string') return { type: 'STRING' };
  if (type === 'number' || type === 'integer') return { type: 'NUMBER' };
  if (type === 'boolean') return { type: 'BOOLEAN' };
  if (type === 'array') {
    const items = (schema as unknown as { items: TSchema }).items;
    if ((items as { type?: string }).type === 'object' && 'properties' in items)
      return specType(items, descriptions, prefix);
  } else if (type === 'object' && !('patternProperties' in schema)) {
    return { type: 'OBJECT', child: { fields: specFields(schema as TObject, descriptions, prefix) } };
  } else if ('anyOf' in schema && literals(schema) !== undefined) return { type: 'STRING' };
  return { type: 'OBJECT', typeReference: javaType(schema) };
}

function javaType(schema: TSchema): string {
  const { type } = schema as { type?: string };
  if (type === 'string') return 'java.lang.String';
  if (type === 'boolean') return 'java.lang.Boolean';
  if (type === 'integer') return 'java.lang.Long';
  if (type === 'number') return 'java.lang.Double';
  if (type === 'array') return `java.util.List<${javaType((schema as unknown as { items: TSchema }).items)}>`;
  if (type === 'object' && 'patternProperties' in schema) {
    const values = Object.values(
      (schema as unknown as { patternProperties: Record<string, TSchema> }).patternProperties,
    )[0];
    return `java.util.Map<java.lang.String, ${javaType(values as TSchema)}>`;
  }
  return type === 'object' ? 'java.util.Map<java.lang.String, java.lang.Object>' : 'java.lang.Object';
}

function literals(schema: TSchema): string[] | undefined {
  const values = ((schema as { anyOf?: { const?: unknown }[] }).anyOf ?? []).map((choice) => choice.const);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? (values as string[]) : undefined;
}

function constraints(schema: TSchema): Partial<SpecField> {
  const found: Record<string, unknown> = {};
  for (const key of ['default', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const) {
    if (key in schema) found[key] = (schema as Record<string, unknown>)[key];
  }
  const values = literals(schema);
  return { ...found, ...(values === undefined ? {} : { enum: values }) } as Partial<SpecField>;
}

/** Returns a type in simple words: `java.util.List<java.lang.String>` of the reference becomes `list of string`. */
export function plainType(type: SpecType): string {
  if ('child' in type) return 'object';
  return 'typeReference' in type ? plainJavaType(type.typeReference) : type.type.toLowerCase();
}

const PLAIN: Readonly<Record<string, string>> = {
  'java.lang.String': 'string',
  'java.lang.Boolean': 'boolean',
  'java.lang.Integer': 'number',
  'java.lang.Long': 'number',
  'java.lang.Float': 'number',
  'java.lang.Double': 'number',
  'java.lang.Object': 'any value',
};

function plainJavaType(reference: string): string {
  const list = /^java\.util\.List<(.*)>$/.exec(reference)?.[1];
  if (list !== undefined) return `list of ${plainJavaType(list)}`;
  const map = /^java\.util\.Map<[^,]*,\s*(.*)>$/.exec(reference)?.[1];
  if (map !== undefined) return `map of names to ${plainJavaType(map)}`;
  return PLAIN[reference] ?? reference;
}
