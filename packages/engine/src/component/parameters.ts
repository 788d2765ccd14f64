import { resolve } from 'node:path';
import type { ConfigNode, ObjectNode, Origin } from '@headrace/hocon';
import type { TObject, TSchema } from 'typebox';
import { internName } from '../document/names.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import { nearest } from '../errors/nearest.ts';
import type { Problem } from '../errors/problem.ts';
import type { FileAccess } from '../policy/file-rules.ts';
import { type AccessKind, placesIn } from '../policy/places.ts';
import type { Cap } from '../policy/policy-limits.ts';
import { POLICY_HINT, type PolicyRules } from '../policy/policy-rules.ts';
import { asList, join, keysOfPath, kindName, place, scalarNumber, scalarText } from './config-nodes.ts';
import { nodeToValue } from './node-value.ts';
import { otherName } from './parameter-synonyms.ts';
import { hasNoEffect, isAny, isMap, mapValues, partsOf } from './schema-parts.ts';

/** A mistake in the parameters of a component, reported by its `check` method. */
export interface ParameterProblem {
  /**
   * The position of the parameter, relative to the component: a path such as `regex[1]`, or its keys and positions,
   * such as `['fieldMapping', 'a.b']`, if a key may contain dots or brackets.
   */
  readonly parameter: string | readonly (string | number)[];
  /** For an indexer: `parameter` is in the block `indexer`, not in the block of the indexer itself. */
  readonly block?: 'indexer';
  /** The error code. Defaults to `HR_CONFIG_INVALID_VALUE`. */
  readonly code?: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly severity?: 'error' | 'warning';
  /** True if the problem only prevents the start of the component. In a disabled stage it is a warning. */
  readonly atStart?: true;
}

/** A local file or folder that a config value names. */
export interface NamedFile {
  readonly kind: AccessKind;
  /** The position in the config. */
  readonly where: Pick<Problem, 'path' | 'file' | 'line' | 'column'>;
  /** The file name as written in the config. */
  readonly text: string;
  /** The absolute path. Symbolic links are not resolved. */
  readonly target: string;
}

/**
 * A file that a component uses but that no parameter names directly: files that it moves, files at a default path, or
 * files that it creates under exactly this name. The policy is checked for these files when the config is checked.
 */
export interface TouchedFile {
  /** The parameter that makes the component use the file, as in `ParameterProblem`. */
  readonly parameter: ParameterProblem['parameter'];
  readonly access: FileAccess;
  /** The local path. Symbolic links are not resolved. */
  readonly path: string;
  /** The operation, such as `move files out of`. Messages append the path. */
  readonly verb: string;
}

/**
 * The result of checking an object against its schema. `value` contains the valid parts, even if there are problems.
 */
export interface CheckedParameters {
  readonly value: Record<string, unknown>;
  readonly problems: Problem[];
  /** The values of parameters that the schema marks as files. */
  readonly files: readonly NamedFile[];
}

/**
 * Reads a config object by a schema, with the conversions of HOCON: `"5"` can be a number, `5` a string, `"yes"` a
 * boolean, an object with numeric keys a list. Applies defaults. Finds all mistakes together, each with its position.
 * Maps (`MapOf`) become `Map` objects in the order of the config.
 * @param path the path of the object in the config, for the problems
 * @param shared additional keys that are allowed and that other code reads
 * @param rules the policy for the files and hosts that parameters name
 */
export function checkParameters(
  schema: TObject,
  node: ObjectNode,
  path: string,
  shared: ReadonlySet<string> = new Set(),
  rules?: PolicyRules,
): CheckedParameters {
  const reader = new ParameterReader(rules);
  return { value: reader.object(schema, node, path, shared), problems: reader.problems, files: reader.files };
}

class ParameterReader {
  readonly problems: Problem[] = [];
  readonly files: NamedFile[] = [];
  readonly #rules: PolicyRules | undefined;
  /** True if a string must be a string in the config. Inside a map, a number is not a field name. */
  #exactTexts = false;

  constructor(rules: PolicyRules | undefined) {
    this.#rules = rules;
  }

  object(schema: TObject, node: ObjectNode, path: string, shared: ReadonlySet<string>): Record<string, unknown> {
    const { properties, entries, required } = partsOf(schema);
    const value: Record<string, unknown> = {};
    for (const [key, child] of node.entries) {
      if (Object.hasOwn(properties, key) || shared.has(key)) continue;
      const free = entries.map(([name]) => name).filter((name) => !node.entries.has(name));
      this.#unknown(key, child, node.keys.get(key) ?? child.origin, path, {
        known: [...Object.keys(properties).toSorted(), ...shared],
        free: free.toSorted((a, b) => Number(required.has(b)) - Number(required.has(a))),
      });
    }
    for (const [key, property] of entries) {
      const child = node.entries.get(key);
      if (child?.kind === 'null' && hasChoiceNull(property)) {
        value[key] = 'null';
        continue;
      }
      if (child === undefined || child.kind === 'null') {
        if (required.has(key)) {
          this.#add('HR_CONFIG_MISSING_PARAMETER', node.origin, path, `Config is missing required property ${key}`);
        } else {
          const otherwise = this.#absent(property);
          if (otherwise !== undefined) value[key] = otherwise;
        }
        continue;
      }
      if (hasNoEffect(property)) this.problems.push(withoutEffect(join(path, key), node.keys.get(key) ?? child.origin));
      const read = this.#value(property, child, join(path, key), key);
      if (read !== undefined) value[key] = read;
    }
    return value;
  }

  /** Returns the value of an absent parameter: its default, or the limit of the policy if the limit is lower. */
  #absent(schema: TSchema): unknown {
    const { cap, default: value } = schema as { cap?: Cap; default?: unknown };
    const most = cap && this.#rules?.most(cap);
    const counts = value ?? cap?.otherwise;
    return most !== undefined && typeof counts === 'number' && counts > most ? most : value;
  }

  #value(schema: TSchema, node: ConfigNode, path: string, name: string): unknown {
    const { type } = schema as { type?: string };
    if (isMap(schema)) return this.#map(schema, node, path, name);
    if (type === 'object') {
      if (node.kind === 'object') return this.object(schema as TObject, node, path, new Set());
      return this.#wrong(node, path, `${name} is supposed to be a Config, was "${kindName(node)}"`);
    }
    if (type === 'array') return this.#list((schema as unknown as { items: TSchema }).items, node, path, name);
    if (type === 'string') return this.#text(schema, node, path, name);
    if (type === 'boolean') return this.#boolean(node, path, name);
    if (type === 'number' || type === 'integer') return this.#number(schema, node, path, name, type === 'integer');
    const choices = (schema as { anyOf?: TSchema[] }).anyOf;
    const { meant = {} } = schema as { meant?: Readonly<Record<string, string>> };
    if (choices !== undefined) return this.#choice(choices, node, path, name, meant);
    return nodeToValue(node);
  }

  #text(schema: TSchema, node: ConfigNode, path: string, name: string): string | undefined {
    const text = scalarText(node);
    const { access } = schema as { access?: AccessKind };
    if (access !== undefined && text !== undefined) {
      for (const named of placesIn(access, text)) {
        if (!('path' in named)) continue;
        this.files.push({ kind: access, where: { path, ...place(node.origin) }, text, target: resolve(named.path) });
      }
      const refused = this.#rules?.refusedParameter(access, text);
      const message = `An uploaded config may not ${refused}`;
      if (refused !== undefined) this.#add('HR_POLICY_REFUSED', node.origin, path, message, POLICY_HINT);
    }
    if (text !== undefined && this.#exactTexts && node.kind !== 'string') {
      const message = `${name} must be a string, was "${kindName(node)}"`;
      return this.#wrong(node, path, message, 'HR_CONFIG_WRONG_TYPE', `If it is a name, put it in quotes: "${text}".`);
    }
    // Strings in a config are mostly field names. Interned strings are compared by pointer, which is faster.
    if (text !== undefined) return internName(text);
    return this.#wrong(node, path, `${name} must be a string, was "${kindName(node)}"`);
  }

  #boolean(node: ConfigNode, path: string, name: string): boolean | undefined {
    if (node.kind === 'boolean') return node.value;
    if (node.kind === 'string') {
      if (node.value === 'true' || node.value === 'yes' || node.value === 'on') return true;
      if (node.value === 'false' || node.value === 'no' || node.value === 'off') return false;
    }
    return this.#wrong(node, path, `${name} must be a boolean, was "${kindName(node)}"`);
  }

  #number(schema: TSchema, node: ConfigNode, path: string, name: string, whole: boolean): number | undefined {
    const read = scalarNumber(node);
    if (read === undefined) return this.#wrong(node, path, `${name} must be a number, was "${kindName(node)}"`);
    const value = whole ? Math.trunc(read) : read;
    if (whole && !Number.isSafeInteger(value)) {
      return this.#wrong(node, path, `${name} is out of the range of integers`, 'HR_CONFIG_INVALID_VALUE');
    }
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema as Record<string, number | undefined>;
    const range =
      minimum !== undefined && value < minimum
        ? `at least ${minimum}`
        : maximum !== undefined && value > maximum
          ? `at most ${maximum}`
          : exclusiveMinimum !== undefined && value <= exclusiveMinimum
            ? `greater than ${exclusiveMinimum}`
            : exclusiveMaximum !== undefined && value >= exclusiveMaximum
              ? `less than ${exclusiveMaximum}`
              : undefined;
    if (range === undefined) {
      if (value !== read)
        this.#warn(node, path, `${name} is ${read}, but must be an integer: ${value} is used`, `Write ${value}.`);
      const counts = this.#clamped(schema, value, node, path, name);
      const { cap } = schema as { cap?: Cap };
      const refused = cap && this.#rules?.refusedNumber(cap, name, counts);
      const message = `An uploaded config may not ${refused}`;
      if (refused !== undefined) this.#add('HR_POLICY_REFUSED', node.origin, path, message, POLICY_HINT);
      return counts;
    }
    return this.#wrong(node, path, `${name} must be ${range}, was ${value}`, 'HR_CONFIG_INVALID_VALUE');
  }

  #clamped(schema: TSchema, value: number, node: ConfigNode, path: string, name: string): number {
    const { clamp = {} } = schema as { clamp?: { minimum?: number; maximum?: number } };
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = clamp;
    const counts = Math.min(Math.max(value, minimum), maximum);
    if (counts !== value) {
      const message = `${name} is ${value}, which is too ${value < counts ? 'small' : 'large'}: ${counts} is used`;
      this.#warn(node, path, message, `Write ${counts}, or remove the key.`);
    }
    return counts;
  }

  #warn(node: ConfigNode, path: string, message: string, hint: string): void {
    const where = { path, ...place(node.origin) };
    this.problems.push({ severity: 'warning', code: 'HR_CONFIG_INVALID_VALUE', ...where, message, hint });
  }

  #list(items: TSchema, node: ConfigNode, path: string, name: string): unknown[] | undefined {
    const list = asList(node);
    if (list === undefined) {
      return this.#wrong(
        node,
        path,
        `${name} is supposed to be a list, was "${kindName(node)}"`,
        'HR_CONFIG_WRONG_TYPE',
        scalarText(node) === undefined ? undefined : `Write it in brackets: ${name}: [${scalarText(node)}]`,
      );
    }
    return list.flatMap((item, i) => {
      const read = item.kind === 'null' ? undefined : this.#value(items, item, `${path}[${i}]`, `${name}[${i}]`);
      if (item.kind === 'null' && !isAny(items)) {
        this.#wrong(
          item,
          `${path}[${i}]`,
          `List ${name} could not be converted to specified type: element ${i} is null`,
        );
      }
      return isAny(items) ? [nodeToValue(item)] : read === undefined ? [] : [read];
    });
  }

  #map(schema: TSchema, node: ConfigNode, path: string, name: string): Map<string, unknown> | undefined {
    if (node.kind !== 'object') {
      return this.#wrong(node, path, `${name} is supposed to be a Config, was "${kindName(node)}"`);
    }
    const values = mapValues(schema);
    const map = new Map<string, unknown>();
    const outside = this.#exactTexts;
    this.#exactTexts = !('coerced' in schema);
    for (const [key, child] of node.entries) {
      const childPath = join(path, key);
      if (child.kind === 'null' && !isAny(values)) {
        this.#wrong(child, childPath, `Object ${name} could not be converted to specified type: ${key} is null`);
        continue;
      }
      if (child.kind === 'object' && (values as { type?: string }).type === 'string') {
        this.#wrong(
          child,
          childPath,
          `Object ${name} could not be converted to specified type: ${key} is an object`,
          'HR_CONFIG_WRONG_TYPE',
          'Put a name with a dot in quotes. Without quotes, it creates nested objects.',
        );
        continue;
      }
      const read = isAny(values) ? nodeToValue(child) : this.#value(values, child, childPath, `${name}.${key}`);
      if (read !== undefined) map.set(internName(key), read);
    }
    this.#exactTexts = outside;
    return map;
  }

  /** @param meant the correct value for each value of another language */
  #choice(
    choices: TSchema[],
    node: ConfigNode,
    path: string,
    name: string,
    meant: Readonly<Record<string, string>>,
  ): unknown {
    const literals = choices.map((choice) => (choice as { const?: unknown }).const);
    if (literals.every((literal) => typeof literal === 'string')) {
      const text = scalarText(node);
      if (text !== undefined && literals.includes(text)) return text;
      if (text === undefined) return this.#wrong(node, path, `${name} must be a string, was "${kindName(node)}"`);
      const best = Object.hasOwn(meant, text) ? meant[text] : nearest(text, literals as string[]);
      return this.#wrong(
        node,
        path,
        `${name} must be one of ${literals.map((literal) => `"${literal}"`).join(', ')}, was "${text}"`,
        'HR_CONFIG_INVALID_VALUE',
        best === undefined ? undefined : `Did you mean "${best}"?`,
      );
    }
    for (const choice of choices) {
      const attempt = new ParameterReader(this.#rules);
      attempt.#exactTexts = this.#exactTexts;
      const read = attempt.#value(choice, node, path, name);
      // The value has this type and no other, even if the policy refuses it.
      if (attempt.problems.some(({ code }) => code !== 'HR_POLICY_REFUSED')) continue;
      this.problems.push(...attempt.problems);
      this.files.push(...attempt.files);
      return read;
    }
    return this.#value(choices[0] as TSchema, node, path, name);
  }

  /**
   * @param names.known all parameters
   * @param names.free the parameters that are not set yet, required parameters first
   */
  #unknown(
    key: string,
    node: ConfigNode,
    origin: Origin,
    path: string,
    { known, free }: { readonly known: readonly string[]; readonly free: readonly string[] },
  ): void {
    const empty = node.kind === 'null' || (node.kind === 'object' && node.entries.size === 0);
    const what = node.kind === 'object' && !empty ? 'parent' : 'property';
    const best = meant(key, known, free);
    this.problems.push({
      // The reference ignores unknown keys without a value, so a config with such a key must still run.
      severity: empty ? 'warning' : 'error',
      code: 'HR_CONFIG_UNKNOWN_PARAMETER',
      path: join(path, key),
      ...place(origin),
      message: `Config contains unknown ${what} ${key}`,
      hint:
        (what === 'parent' ? `There is no parameter ${key}. ` : '') +
        (best === undefined ? `Known parameters: ${known.join(', ')}.` : `Did you mean ${best}?`),
    });
  }

  #wrong(
    node: ConfigNode,
    path: string,
    message: string,
    code: ErrorCode = 'HR_CONFIG_WRONG_TYPE',
    hint?: string,
  ): undefined {
    this.#add(code, node.origin, path, message, hint);
    return undefined;
  }

  #add(code: ErrorCode, origin: Origin, path: string, message: string, hint?: string): void {
    this.problems.push({
      severity: 'error',
      code,
      path,
      ...place(origin),
      message,
      ...(hint === undefined ? {} : { hint }),
    });
  }
}

/** Returns the parameter that an unknown key may mean: a similar name that is not set yet, or a synonym. */
function meant(key: string, known: readonly string[], free: readonly string[]): string | undefined {
  const alike = nearest(key, known);
  if (alike !== undefined && free.includes(alike)) return alike;
  return otherName(key, free) ?? alike;
}

/** Returns the warning for a setting that has no effect and is accepted only because the reference has it. */
export function withoutEffect(path: string, origin: Origin): Problem {
  return {
    severity: 'warning',
    code: 'HR_CONFIG_UNUSED',
    path,
    ...place(origin),
    message: `${path} has no effect in this version`,
    hint: 'Remove it.',
  };
}

/** Returns the keys and positions that lead to the parameter of a problem. */
export function parameterKeys({ parameter }: Pick<ParameterProblem, 'parameter'>): readonly (string | number)[] {
  return typeof parameter === 'string' ? keysOfPath(parameter) : parameter;
}

/** Returns whether one of the texts that a parameter may have is null. Without quotes, a config means the value null. */
function hasChoiceNull(schema: TSchema): boolean {
  const { anyOf = [] } = schema as { anyOf?: readonly { const?: unknown }[] };
  return anyOf.some((choice) => choice.const === 'null');
}
