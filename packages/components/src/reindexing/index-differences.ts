import { type IndexAdmin, inPath } from './index-admin.ts';
import type { IndexDefinition } from './index-definition.ts';
import type { Json } from './types.ts';

/** A value of the block `create` that differs from what exists. */
export interface Difference {
  /** The position in the block `create`. */
  readonly parameter: readonly string[];
  /** What differs: `settings.number_of_shards`. */
  readonly name: string;
  /** The value in the config and the existing value, as JSON. Undefined if it is missing. */
  readonly wanted: string;
  readonly found: string | undefined;
}

type Found = readonly Omit<Difference, 'name'>[];

/** Compares the settings and mappings of a definition with those of an index. */
export async function compareIndex(
  admin: IndexAdmin,
  index: string,
  { settings, mappings }: IndexDefinition,
): Promise<Difference[]> {
  const path = `/${inPath(index)}`;
  const [existing, details, fields] = await Promise.all([
    admin.ask<Record<string, { settings: Json }>>('GET', `${path}/_settings?flat_settings=true&include_defaults=true`),
    admin.ask<Record<string, { mappings: Json }>>('GET', `${path}/_mapping`),
    admin.ask<Record<string, FieldMappings>>('GET', `${path}/_mapping/field/*?include_defaults=true`),
  ]);
  const first = Object.values(existing)[0] as { settings: Json; defaults?: Json } | undefined;
  const mapped = Object.values(details)[0]?.mappings ?? {};
  return [
    ...compareSettings(settings, { ...first?.defaults, ...first?.settings }),
    ...compareMappings(mappings, mapped, Object.values(fields)[0]?.mappings ?? {}, ['mappings']),
  ].map(named);
}

/** Compares the templates and pipelines of a definition with those that exist. Skips those that are missing. */
export async function compareNamed(admin: IndexAdmin, { named: all }: IndexDefinition): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { kind, name, path, body } of all) {
    const answer = await admin.find<TemplateAnswer & Record<string, Json>>('GET', path);
    const existing = kind === 'pipelines' ? answer?.[name] : answer?.index_templates?.[0]?.index_template;
    if (existing === undefined) continue;
    const wanted = kind === 'templates' ? withFlatSettings(body) : body;
    const found = kind === 'templates' ? withFlatSettings(existing) : existing;
    // The whole file is one value of the config.
    differences.push(
      ...compareParts(wanted, found, []).map((part) => ({
        ...named({ ...part, parameter: [kind, name, ...part.parameter] }),
        parameter: [kind, name],
      })),
    );
  }
  return differences;
}

interface TemplateAnswer {
  readonly index_templates?: readonly { readonly index_template: Json }[];
}

/** The mappings of all fields of an index, with the defaults, by the full name of the field. */
type FieldMappings = Readonly<Record<string, { readonly mapping?: Readonly<Record<string, Json>> }>>;

function named(difference: Omit<Difference, 'name'>): Difference {
  return { ...difference, name: difference.parameter.join('.') };
}

function compareSettings(wanted: Json, existing: Json): Found {
  const differences: Omit<Difference, 'name'>[] = [];
  for (const [keys, value] of leaves(wanted)) {
    const name = keys.join('.');
    const found = existing[name.startsWith('index.') ? name : `index.${name}`];
    if (!isSame(value, found)) differences.push(difference(['settings', ...keys], value, found));
  }
  return differences;
}

/** Compares mappings. A field has the defaults of its type in `fields`, and objects have none. */
function compareMappings(
  wanted: Json,
  existing: Json | undefined,
  fields: FieldMappings,
  at: readonly string[],
  prefix = '',
): Found {
  return Object.entries(wanted).flatMap(([key, value]): Found => {
    if (key !== 'properties' && key !== 'fields') {
      // The type object is a default, and every program that writes to the index may change _meta.
      if (key === '_meta' || (key === 'type' && value === 'object' && existing?.properties !== undefined)) return [];
      const name = prefix.slice(0, -1);
      const found = existing?.[key] ?? Object.values(fields[name]?.mapping ?? {})[0]?.[key];
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? compareParts(value as Json, found, [...at, key])
        : isSame(value, found)
          ? []
          : [difference([...at, key], value, found)];
    }
    return Object.entries(value as Json).flatMap(([name, field]): Found => {
      const found = (existing?.[key] as Json | undefined)?.[name] as Json | undefined;
      const place = [...at, key, name];
      if (found === undefined) return [difference(place, field, undefined)];
      return compareMappings(field as Json, found, fields, place, `${prefix}${name}.`);
    });
  });
}

/** Compares the values of an object with those of another one, which may have more. */
function compareParts(wanted: unknown, existing: unknown, at: readonly string[]): Found {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    return isSame(wanted, existing) ? [] : [difference(at, wanted, existing)];
  }
  if (typeof existing !== 'object' || existing === null) return [difference(at, wanted, existing)];
  return Object.entries(wanted).flatMap(([key, value]) => compareParts(value, (existing as Json)[key], [...at, key]));
}

function difference(parameter: readonly string[], wanted: unknown, found: unknown): Omit<Difference, 'name'> {
  return { parameter, wanted: JSON.stringify(wanted), found: found === undefined ? undefined : JSON.stringify(found) };
}

/** Compares values as the search engine returns them: it returns numbers and booleans of settings as texts. */
function isSame(wanted: unknown, found: unknown): boolean {
  return JSON.stringify(asTexts(wanted)) === JSON.stringify(asTexts(found));
}

function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts);
  if (typeof value !== 'object' || value === null) return value === undefined ? undefined : String(value);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted()
      .map(([key, child]) => [key, asTexts(child)]),
  );
}

/** Returns a template whose settings have full names: the search engine returns them nested, in `index`. */
function withFlatSettings(template: Json): Json {
  const inner = template.template as Json | undefined;
  if (inner?.settings === undefined) return template;
  const flat = leaves(inner.settings as Json).map(([keys, value]) => {
    const name = keys.join('.');
    return [name.startsWith('index.') ? name : `index.${name}`, value];
  });
  return { ...template, template: { ...inner, settings: Object.fromEntries(flat) } };
}

function leaves(object: Json, at: readonly string[] = []): [string[], unknown][] {
  return Object.entries(object).flatMap(([key, value]): [string[], unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? leaves(value as Json, [...at, key])
      : [[[...at, key], value]],
  );
}
