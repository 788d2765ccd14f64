import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Document } from '../document/document.ts';
import { textOf, type Value } from '../document/value.ts';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import { allowedPath } from '../policy/current-policy.ts';

/** A condition as the config states it. */
export interface ConditionConfig {
  readonly fields: readonly string[];
  readonly operator: 'must' | 'must_not';
  /** Texts to match, null for a JSON null; undefined: the condition is about presence. */
  readonly values: readonly (string | null)[] | undefined;
}

/** A larger file of values is taken for a mistake. */
const MAX_VALUES_BYTES = 64 * 2 ** 20;

export type Predicate = (document: Document) => boolean;

/** The texts that config values stand for: numbers as the config language normalises them (`1.0` is `1`). */
export function conditionTexts(values: readonly Value[]): (string | null)[] {
  return values.map((value) =>
    typeof value === 'number' && Number.isInteger(value) ? BigInt(value).toString() : textOf(value),
  );
}

/** The values of a `valuesPath` file: UTF-8 lines, trimmed, blank ones left out. */
export function readConditionValues(path: string): string[] {
  try {
    // What the reference looks for among its classes is here beside the process.
    const local = path.startsWith('file:') ? fileURLToPath(path) : path.replace(/^classpath:\/*/, '');
    const file = allowedPath(local, 'read');
    // A device or a pipe would never end.
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

/** Whether a document is to be processed; undefined when there are no conditions, so always. */
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

function compileCondition({ fields, operator, values }: ConditionConfig): Predicate {
  if (fields.length === 0) return () => true;
  const must = operator === 'must';
  if (values === undefined) {
    return must
      ? (document) => fields.every((field) => document.has(field))
      : (document) => fields.every((field) => !document.has(field));
  }
  const wanted = new Set(values);
  const matches: Predicate = (document) => fields.some((field) => contains(document.get(field), wanted));
  return must ? matches : (document) => !matches(document);
}

function contains(value: Value | undefined, wanted: ReadonlySet<string | null>): boolean {
  if (value === undefined) return false;
  return Array.isArray(value) ? value.some((item) => wanted.has(textOf(item))) : wanted.has(textOf(value));
}
