import type { CatalogEntry } from './catalog.ts';
import type { ClassChoice, ClassChoices, TObject, TSchema } from './schema.ts';
import { requiredKeys } from './schema-parts.ts';
import type { SpecField } from './spec.ts';

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The descriptions of parameters by path. The path of a nested parameter is `outer.inner`. */
export type Descriptions = ReadonlyMap<string, string>;

/** Returns the descriptions of a catalog entry, by the path of the parameter. */
export function descriptionsOf(fields: readonly SpecField[], prefix = ''): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, description, type } of fields) {
    if (description !== undefined) found.set(prefix + name, description);
    if (!('child' in type)) continue;
    for (const [path, text] of descriptionsOf(type.child.fields, `${prefix}${name}.`)) found.set(path, text);
  }
  return found;
}

/** Converts parameter schemas to JSON Schema. */
export class SchemaWriter {
  readonly #entries: readonly CatalogEntry[];

  /** @param entries the catalog entries that have the descriptions of nested handlers */
  constructor(entries: readonly CatalogEntry[]) {
    this.#entries = entries;
  }

  /**
   * Returns the schema of an object of parameters. It accepts what `checkParameters` accepts, including its
   * conversions. Null counts as absent. Unknown keys are refused, even without a value. Headrace only warns of these,
   * but JSON Schema cannot express a warning.
   * @param shared additional keys that are allowed, with their schemas
   */
  object(
    schema: TObject,
    descriptions: Descriptions = new Map(),
    shared: Readonly<Record<string, JsonSchema>> = {},
    prefix = '',
  ): JsonSchema {
    const required = requiredKeys(schema);
    const properties: Record<string, JsonSchema> = { ...shared };
    for (const [name, property] of Object.entries(schema.properties as Record<string, TSchema>)) {
      const described = this.#value(property, descriptions, `${prefix}${name}`);
      properties[name] = {
        ...(required.includes(name) ? described : orNull(described)),
        ...annotations(property, descriptions.get(`${prefix}${name}`)),
      };
    }
    return {
      type: 'object',
      properties,
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    };
  }

  /** @param exact true if the value must be a string and is not converted, as in a map */
  #value(schema: TSchema, descriptions: Descriptions, path: string, exact = false): JsonSchema {
    const { type, choices } = schema as { type?: string; choices?: ClassChoices };
    if (type === 'object' && 'patternProperties' in schema) {
      if (choices !== undefined) return this.#chosen(choices);
      const [values] = Object.values(schema.patternProperties as Record<string, TSchema>);
      const inMap = !('coerced' in schema);
      return { type: 'object', additionalProperties: this.#value(values as TSchema, descriptions, path, inMap) };
    }
    if (type === 'object') return this.object(schema as TObject, descriptions, {}, `${path}.`);
    if (type === 'array') {
      const items = this.#value((schema as unknown as { items: TSchema }).items, descriptions, path, exact);
      return listOf(items);
    }
    if (type === 'string') return { type: exact ? 'string' : ['string', 'number', 'boolean'] };
    if (type === 'boolean') return { type: ['boolean', 'string'], pattern: '^(true|false|yes|no|on|off)$' };
    if (type === 'number' || type === 'integer') {
      return { type: ['number', 'string'], pattern: NUMBER_TEXT, ...limits(schema) };
    }
    const alternatives = (schema as { anyOf?: TSchema[] }).anyOf;
    if (alternatives === undefined) return {};
    const literals = alternatives.map((choice) => (choice as { const?: unknown }).const);
    if (literals.every((literal) => typeof literal === 'string')) return { enum: literals.flatMap(withScalar) };
    return { anyOf: alternatives.map((choice) => this.#value(choice, descriptions, path, exact)) };
  }

  /**
   * Returns the schemas of a map of objects. The class of each object is named in the object, or follows from its key.
   */
  #chosen({ classes, others = [], byKey = {} }: ClassChoices): JsonSchema {
    const names = { enum: [...classes.flatMap((choice) => choice.names), ...others] };
    const alternatives = classes.map((choice) => ({
      if: { properties: { class: { enum: choice.names } }, required: ['class'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: this.#choice(choice),
    }));
    const named = { type: 'object', properties: { class: names }, required: ['class'], allOf: alternatives };
    const keyed = Object.entries(byKey).map(([key, name]) => {
      const standard = classes.find((choice) => choice.names.includes(name)) as ClassChoice;
      const byDefault = {
        if: { properties: { class: { type: 'null' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: this.#choice(standard),
      };
      return [
        key,
        { type: 'object', properties: { class: orNull(names) }, allOf: [...alternatives, byDefault] },
      ] as const;
    });
    return {
      type: 'object',
      ...(keyed.length === 0 ? {} : { properties: Object.fromEntries(keyed) }),
      additionalProperties: named,
    };
  }

  #choice({ parameters, describedBy }: ClassChoice): JsonSchema {
    const entry = this.#entries.find(({ name }) => name === describedBy);
    return this.object(parameters, descriptionsOf(entry?.fields ?? []), { class: {} });
  }
}

/** A pattern for strings that count as a number. */
const NUMBER_TEXT = '^\\s*[-+]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][-+]?\\d+)?\\s*$';

/** Returns the schema of a list. An object whose keys are all numbers counts as a list. */
export function listOf(items: JsonSchema): JsonSchema {
  return {
    type: ['array', 'object'],
    items,
    patternProperties: { '^[0-9]+$': items },
    additionalProperties: false,
    minProperties: 1,
  };
}

/** Returns the schema with null as an additional value, because an optional parameter that is null counts as absent. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf } = schema as { type?: unknown; enum?: unknown[]; anyOf?: unknown[] };
  if (type !== undefined) return { ...schema, type: [type, 'null'].flat() };
  if (values !== undefined) return { ...schema, enum: [...values, null] };
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  return schema;
}

/** Returns a literal, and the boolean that HOCON treats as equal to it. */
function withScalar(literal: unknown): unknown[] {
  if (literal === 'true' || literal === 'false') return [literal, literal === 'true'];
  return [literal];
}

function limits(schema: TSchema): JsonSchema {
  const keys = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].filter((key) => key in schema);
  return Object.fromEntries(keys.map((key) => [key, (schema as Record<string, unknown>)[key]]));
}

function annotations(schema: TSchema, described: string | undefined): JsonSchema {
  const {
    default: standard,
    noEffect,
    description,
  } = schema as {
    default?: unknown;
    noEffect?: boolean;
    description?: string;
  };
  const text = described ?? description;
  return {
    ...(text === undefined ? {} : { description: text }),
    ...(standard === undefined ? {} : { default: standard }),
    ...(noEffect === true ? { deprecated: true } : {}),
  };
}
