import type { Format } from '../parsing/session.ts';
import { ArgumentError, inWords } from '../tree/arguments.ts';
import type { Limits } from '../tree/limits.ts';
import { defaultLimits } from '../tree/limits.ts';
import type { PlainValue } from '../tree/node.ts';
import type { IncludeLoader } from './include.ts';

export interface ParseOptions {
  /** The environment for substitutions. Empty by default. */
  env?: Record<string, string | undefined>;
  /** True to resolve substitutions. True by default. */
  resolve?: boolean;
  /** Finds the texts of includes. Without it, includes find nothing. */
  include?: IncludeLoader;
  /** The name of the text in positions. */
  file?: string;
  format?: Format;
  /**
   * Values by path expression that override the text before it is resolved. Strings in them are not parsed. If the text
   * has a list at a path, a number in the path is the position of an element: `connectors.0.path`.
   */
  overrides?: Record<string, PlainValue>;
  limits?: Partial<Limits>;
}

const FORMATS = ['hocon', 'json', 'properties'];

/** The required value of each option, in words and as a test. */
const OPTIONS: Record<keyof ParseOptions, [string, (value: unknown) => boolean]> = {
  env: ['an object of strings', (value) => isRecord(value) && Object.values(value).every(isStringOrUndefined)],
  resolve: ['true or false', (value) => typeof value === 'boolean'],
  include: ['a function', (value) => typeof value === 'function'],
  file: ['a string', (value) => typeof value === 'string'],
  format: ['"hocon", "json" or "properties"', (value) => FORMATS.includes(value as string)],
  overrides: ['an object of values', isRecord],
  limits: [`an object with numbers for some of ${Object.keys(defaultLimits).join(', ')}`, isLimits],
};

/**
 * Checks the options of a parse function.
 * @throws ArgumentError for unknown options and for options of the wrong type
 */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw new ArgumentError(`options must be an object, not ${inWords(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name)) {
      throw new ArgumentError(`there is no option "${name}"; the options are ${Object.keys(OPTIONS).join(', ')}`);
    }
    const [wanted, isRight] = OPTIONS[name as keyof ParseOptions];
    if (value !== undefined && !isRight(value)) {
      throw new ArgumentError(`the option ${name} must be ${wanted}, not ${inWords(value)}`);
    }
  }
}

/** Returns the limits, with defaults for absent ones. */
export function limitsOf(options: ParseOptions): Limits {
  const limits = { ...defaultLimits };
  for (const [name, limit] of Object.entries(options.limits ?? {})) {
    if (limit !== undefined) limits[name as keyof Limits] = limit;
  }
  return limits;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isStringOrUndefined(value: unknown): boolean {
  return value === undefined || isString(value);
}

function isLimits(value: unknown): value is Partial<Limits> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, limit]) => Object.hasOwn(defaultLimits, name) && (limit === undefined || isCount(limit)),
  );
}

function isCount(limit: unknown): boolean {
  return typeof limit === 'number' && limit >= 0;
}
