import type { ParseOptions } from '../loading/parse.ts';
import type { Limits } from './limits.ts';
import { defaultLimits } from './limits.ts';

/** Thrown for a call that cannot be meant: an argument of the wrong type, or an option that does not exist. */
export class ArgumentError extends TypeError {
  override name = 'ArgumentError';
  readonly code = 'bad-argument';
}

const FORMATS = ['hocon', 'json', 'properties'];

/** What each option must be, and the test for it. */
const OPTIONS: Record<keyof ParseOptions, [string, (value: unknown) => boolean]> = {
  env: ['an object of strings', (value) => isRecord(value) && Object.values(value).every(isStringOrUndefined)],
  resolve: ['true or false', (value) => typeof value === 'boolean'],
  include: ['a function', (value) => typeof value === 'function'],
  file: ['a string', (value) => typeof value === 'string'],
  format: ['"hocon", "json" or "properties"', (value) => FORMATS.includes(value as string)],
  overrides: ['an object of values', isRecord],
  limits: [`an object with numbers for some of ${Object.keys(defaultLimits).join(', ')}`, isLimits],
};

/** @throws ArgumentError */
export function checkText(text: unknown, name: string): asserts text is string {
  if (typeof text === 'string') return;
  const hint = text instanceof Uint8Array ? '; decode the bytes first, as in new TextDecoder().decode(bytes)' : '';
  throw new ArgumentError(`${name} must be a string, not ${inWords(text)}${hint}`);
}

/** @throws ArgumentError */
export function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw new ArgumentError(`options must be an object, not ${inWords(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(OPTIONS, name)) {
      throw new ArgumentError(`there is no option "${name}"; there are ${Object.keys(OPTIONS).join(', ')}`);
    }
    const [wanted, isRight] = OPTIONS[name as keyof ParseOptions];
    if (value !== undefined && !isRight(value)) {
      throw new ArgumentError(`the option ${name} must be ${wanted}, not ${inWords(value)}`);
    }
  }
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

/** A value in words, for messages. */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  if (Array.isArray(value)) return 'an array';
  const name = value.constructor?.name;
  return name === undefined || name === 'Object' ? 'this object' : `a ${name}`;
}
