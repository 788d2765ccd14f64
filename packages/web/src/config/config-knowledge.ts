import type { Schemas } from '@headrace/client';
import type { EditPath } from '@headrace/hocon';
import { shortClassName } from './config-model.ts';
import type { ParsedConfig } from './parsed-config.ts';

/** A component of `GET /v1/config-info/*-list`. */
export type Component = Schemas['Component'];

/** A part of the JSON Schema of `GET /v1/config-info/schema`. */
export interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly SchemaNode[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly deprecated?: boolean;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
}

/** A parameter of a component, or a key of a block. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly type: ParameterType;
  /** The type in words, such as `list of strings`. */
  readonly typeName: string;
  readonly description: string | undefined;
  readonly default: unknown;
  /** The allowed values, if the schema lists them. */
  readonly choices: readonly string[];
  readonly deprecated: boolean;
}

export type ParameterType = 'string' | 'number' | 'boolean' | 'list' | 'object' | 'any';

/** The descriptions of the components and blocks of configs, from the service. */
export class ConfigKnowledge {
  readonly components: readonly Component[];
  readonly #schema: SchemaNode;
  readonly #byName = new Map<string, Component>();
  readonly #parameters = new Map<string, readonly Parameter[]>();

  /**
   * @param components the connectors, stages and indexers
   * @param schema the JSON Schema of a config; without it, only classes are known
   */
  constructor(components: readonly Component[], schema: SchemaNode = {}) {
    this.components = components;
    this.#schema = schema;
    for (const component of components) {
      for (const name of [component.class, ...component.aliases])
        this.#byName.set(`${component.kind} ${name}`, component);
    }
  }

  /** Returns a component by its name, its Java class, the module and name of a custom class, or an indexer's type. */
  component(kind: Component['kind'], className: string | undefined): Component | undefined {
    if (className === undefined) return undefined;
    const found =
      this.#byName.get(`${kind} ${className}`) ??
      (className.includes('#') ? this.#byName.get(`${kind} ${shortClassName(className)}`) : undefined);
    if (found !== undefined || kind !== 'indexer') return found;
    const type = className.toLowerCase();
    return this.components.find((one) => one.kind === 'indexer' && one.type?.toLowerCase() === type);
  }

  ofKind(kind: Component['kind']): Component[] {
    return this.components.filter((component) => component.kind === kind);
  }

  /** Returns the indexer whose parameters are in a top-level block. */
  ofBlock(block: string): Component | undefined {
    return this.components.find((component) => component.kind === 'indexer' && component.block === block);
  }

  /** Returns the parameters of a component, required ones first. Those that all components have are last. */
  parametersOf({ kind, class: name }: Pick<Component, 'kind' | 'class'>): readonly Parameter[] {
    const key = `${kind}.${name}`;
    const known = this.#parameters.get(key) ?? this.#sortedParameters(kind, name);
    this.#parameters.set(key, known);
    return known;
  }

  #sortedParameters(kind: Component['kind'], name: string): Parameter[] {
    const shared = Object.keys(this.#schema.$defs?.[`${kind}Keys`]?.properties ?? {});
    const rank = ({ name, required }: Parameter) => (required ? 0 : shared.includes(name) ? 2 : 1);
    return this.#keysOf(this.#schema.$defs?.[`${kind}.${name}`]).sort((a, b) => rank(a) - rank(b));
  }

  /** Returns the keys that the object at a path of a config can have, required ones first. */
  keysAt(config: ParsedConfig, path: EditPath): readonly Parameter[] {
    const component = this.#componentAt(config, path);
    if (component !== undefined) return this.parametersOf(component);
    const keys = this.#keysOf(this.#schemaAt(config, path));
    return keys.sort((a, b) => Number(b.required) - Number(a.required));
  }

  /** Returns what is known about the value at a path of a config. */
  parameterAt(config: ParsedConfig, path: EditPath): Parameter | undefined {
    const key = path.findLast((step) => typeof step === 'string');
    if (key === undefined) return undefined;
    const inside = path.slice(0, path.lastIndexOf(key));
    const isRequired = this.#schemaAt(config, inside)?.required?.includes(key) ?? false;
    const schema = this.#schemaAt(config, path);
    return schema === undefined ? undefined : this.#parameter(key, schema, isRequired);
  }

  #keysOf(schema: SchemaNode | undefined): Parameter[] {
    return Object.entries(schema?.properties ?? {}).map(([name, property]) =>
      this.#parameter(name, this.#resolve(property), schema?.required?.includes(name) ?? false),
    );
  }

  #parameter(name: string, schema: SchemaNode, required: boolean): Parameter {
    const choices = choicesOf(schema);
    const type = typeOf(schema);
    return {
      ...{ name, required, type, choices },
      typeName: this.#typeName(schema, type),
      description: schema.description,
      default: schema.default,
      deprecated: schema.deprecated ?? false,
    };
  }

  #typeName(schema: SchemaNode, type: ParameterType): string {
    if (choicesOf(schema).length > 0 && type === 'string') return 'string';
    if (type === 'any') return 'any value';
    if (type !== 'list') return type;
    const items = schema.items === undefined ? 'any' : typeOf(this.#resolve(schema.items));
    return items === 'any' ? 'list' : `list of ${items}s`;
  }

  #componentAt(config: ParsedConfig, path: EditPath): Component | undefined {
    if (path.length === 1) {
      const block = this.ofBlock(String(path[0]));
      if (block !== undefined) return block;
    }
    const kind = kindAt(path);
    return kind === undefined ? undefined : this.component(kind, config.textAt([...path, 'class']));
  }

  /** Follows a path of a config through the schema. */
  #schemaAt(config: ParsedConfig, path: EditPath): SchemaNode | undefined {
    let schema: SchemaNode | undefined = this.#schema;
    for (let i = 0; schema !== undefined; i++) {
      const at = path.slice(0, i);
      const component = this.#componentAt(config, at);
      if (component !== undefined) schema = this.#schema.$defs?.[`${component.kind}.${component.class}`] ?? schema;
      else if (kindAt(at) !== undefined) schema = this.#withSharedKeys(schema, kindAt(at)!);
      const step = path[i];
      if (step === undefined) return schema;
      schema = this.#member(schema, step);
    }
    return undefined;
  }

  /** Returns the schema of a component without a known class. */
  #withSharedKeys(schema: SchemaNode, kind: 'connector' | 'stage'): SchemaNode {
    const shared = this.#schema.$defs?.[`${kind}Keys`]?.properties;
    return { ...schema, properties: { ...shared, ...schema.properties } };
  }

  #member(schema: SchemaNode, step: string | number): SchemaNode | undefined {
    const isIndex = typeof step === 'number' || (schema.items !== undefined && /^\d+$/.test(step));
    const { additionalProperties: others } = schema;
    const member = isIndex
      ? schema.items
      : (schema.properties?.[step] ?? (typeof others === 'object' ? others : undefined));
    return member === undefined ? undefined : this.#resolve(member);
  }

  /** Follows a reference. Keywords beside it have priority. */
  #resolve(schema: SchemaNode): SchemaNode {
    let at = schema;
    for (let left = 10; at.$ref !== undefined && left > 0; left--) {
      const { $ref, ...own } = at;
      let target: unknown = this.#schema;
      for (const step of $ref.replace(/^#\//, '').split('/')) {
        target = typeof target === 'object' && target !== null ? (target as Record<string, unknown>)[step] : undefined;
      }
      at = { ...((target ?? {}) as SchemaNode), ...own };
    }
    return at;
  }
}

/** Returns the kind of the component that a path names exactly. */
function kindAt(path: EditPath): 'connector' | 'stage' | undefined {
  const isElement = path.length > 0 && (typeof path.at(-1) === 'number' || /^\d+$/.test(String(path.at(-1))));
  if (!isElement) return undefined;
  if (path.length === 2 && path[0] === 'connectors') return 'connector';
  return path.length === 4 && path[0] === 'pipelines' && path[2] === 'stages' ? 'stage' : undefined;
}

/** Returns the allowed texts of a schema that lists them. */
function choicesOf(schema: SchemaNode): string[] {
  const own = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  const all = [...own, ...(schema.anyOf ?? []).flatMap((choice) => (choice.deprecated ? [] : choicesOf(choice)))];
  return [...new Set(all.filter((one) => one !== null).map(String))];
}

function typeOf(schema: SchemaNode): ParameterType {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  if (types.includes('array')) return 'list';
  if (types.includes('object')) return 'object';
  // HOCON converts between texts, numbers and booleans.
  if (types.includes('string') && types.includes('number') && types.includes('boolean')) return 'string';
  if (types.includes('boolean')) return 'boolean';
  if (types.includes('number') || types.includes('integer')) return 'number';
  if (types.includes('string') || choicesOf(schema).length > 0) return 'string';
  const inner = schema.anyOf?.map(typeOf).find((type) => type !== 'any');
  return inner ?? 'any';
}
