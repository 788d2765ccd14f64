import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FieldReader } from '../document/field-reader.ts';
import { Double, textOf, type Value } from '../document/value.ts';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import { allowedPath } from '../policy/current-policy.ts';
import { type ComparisonOperator, comparison } from './comparison.ts';
import { TextSet } from './text-set.ts';

/** A condition in a checked config. */
export type ConditionConfig = FieldCondition | ConditionGroup;

/** A condition on the values of fields. */
export interface FieldCondition {
  readonly fields: readonly string[];
  readonly operator: 'must' | 'must_not' | 'matches' | ComparisonOperator;
  /**
   * The strings to match, with null for a JSON null. Also the patterns of `matches`, and the only operand of a
   * comparison. If undefined, the condition checks whether the fields are present.
   */
  readonly values: readonly (string | null)[] | undefined;
}

/**
 * A group of conditions. `and`: all conditions must be true. `or`: at least one must be true. `not`: the only condition
 * must be false.
 */
export interface ConditionGroup {
  readonly group: 'and' | 'or' | 'not';
  readonly conditions: readonly ConditionConfig[];
}

/** The maximum size of a file with values. A larger file is probably a mistake. */
const MAX_VALUES_BYTES = 64 * 2 ** 20;

export type Predicate = (document: FieldReader) => boolean;

/** Returns config values as strings. Numbers are normalized as in HOCON (`1.0` becomes `1`). */
export function conditionTexts(values: readonly Value[]): (string | null)[] {
  return values.map((value) =>
    typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : textOf(value),
  );
}

/** Returns the values in a `valuesPath` file: UTF-8 lines, trimmed, without empty lines. */
export function readConditionValues(path: string): string[] {
  try {
    // The reference searches the Java class path. Here, `classpath:` paths are relative to the working directory of the
    // process.
    const local = path.startsWith('file:') ? fileURLToPath(path) : path.replace(/^classpath:\/*/, '');
    const file = allowedPath(local, 'read');
    // Reading a device or a pipe could block forever.
    const found = statSync(file);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > MAX_VALUES_BYTES) throw new Error(`it is larger than ${MAX_VALUES_BYTES / 2 ** 20} MiB`);
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    return text
      .split(/\r\n|\r|\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    if (error instanceof HeadraceError) throw error;
    throw new HeadraceError('HR_CONFIG_INVALID_VALUE', `Failed to load values from valuesPath: ${path}`, {
      hint: messageOf(error),
    });
  }
}

/**
 * Returns a function that decides whether a stage processes a document. Returns undefined if there are no conditions.
 */
export function compileConditions(
  conditions: readonly ConditionConfig[],
  policy: 'all' | 'any',
): Predicate | undefined {
  const predicates = conditions.map(compileCondition);
  if (predicates.length === 0) return undefined;
  if (predicates.length === 1) return predicates[0];
  return policy === 'all'
    ? (document) => predicates.every((holds) => holds(document))
    : (document) => predicates.some((holds) => holds(document));
}

/**
 * Returns the regular expression of a `matches` condition. It may match any part of a text. Supports Java flags at its
 * start, such as `(?i)`. Throws a `SyntaxError`.
 */
export function conditionPattern(text: string): RegExp {
  const flags = /^\(\?([ims]+)\)/.exec(text);
  return new RegExp(text.slice(flags?.[0].length ?? 0), `u${[...new Set(flags?.[1] ?? '')].join('')}`);
}

function compileCondition(condition: ConditionConfig): Predicate {
  if ('group' in condition) return compileGroup(condition);
  const { fields } = condition;
  if (fields.length === 0) return () => true;
  const test = fieldTest(condition);
  const [field = ''] = fields;
  if (fields.length === 1) return (document) => test(document.get(field));
  return condition.operator === 'must_not' || isPresence(condition)
    ? (document) => fields.every((name) => test(document.get(name)))
    : (document) => fields.some((name) => test(document.get(name)));
}

/** Returns true if the condition checks only whether the fields are present. */
function isPresence({ operator, values }: FieldCondition): boolean {
  return operator === 'must' && values === undefined;
}

/** Returns a function that tests the value of one field of a condition. A missing field is undefined. */
export function fieldTest({ operator, values }: FieldCondition): (value: Value | undefined) => boolean {
  if (operator !== 'must' && operator !== 'must_not') {
    const test = valueTest(operator, values ?? []);
    return (value) => value !== undefined && (Array.isArray(value) ? value.some(test) : test(value));
  }
  if (values === undefined)
    return operator === 'must' ? (value) => value !== undefined : (value) => value === undefined;
  const wanted = new TextSet(values.filter((value) => value !== null));
  const wantsNull = values.includes(null);
  return operator === 'must'
    ? (value) => contains(value, wanted, wantsNull)
    : (value) => !contains(value, wanted, wantsNull);
}

function compileGroup({ group, conditions }: ConditionGroup): Predicate {
  const predicates = conditions.map(compileCondition);
  switch (group) {
    case 'and':
      return (document) => predicates.every((holds) => holds(document));
    case 'or':
      return (document) => predicates.some((holds) => holds(document));
    case 'not':
      return (document) => !predicates.some((holds) => holds(document));
  }
}

function valueTest(operator: 'matches' | ComparisonOperator, values: readonly (string | null)[]) {
  if (operator !== 'matches') return comparison(operator, values[0] ?? '');
  const patterns = values.map((value) => conditionPattern(value ?? ''));
  return (value: Value) => {
    // Objects and bytes have no useful string.
    const text = typeof value === 'object' && !(value instanceof Double) ? null : textOf(value);
    return text !== null && patterns.some((pattern) => pattern.test(text));
  };
}

function contains(value: Value | undefined, wanted: TextSet, wantsNull: boolean): boolean {
  if (typeof value === 'string') return wanted.has(value);
  if (value === undefined) return false;
  if (Array.isArray(value)) return value.some((item) => isWanted(item, wanted, wantsNull));
  return isWanted(value, wanted, wantsNull);
}

function isWanted(value: Value, wanted: TextSet, wantsNull: boolean): boolean {
  const text = textOf(value);
  return text === null ? wantsNull : wanted.has(text);
}
