import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { nearest, type TSchema } from '@headrace/engine';
import type { FastifyServerOptions } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { formatOf } from './text-formats.ts';

type Part = 'body' | 'headers' | 'params' | 'querystring' | (string & {});
type Check = (value: unknown) => { value: unknown } | { error: ApiError };

/** Matches texts that contain more than white space. */
const NOT_BLANK = '\\S';

const WORDS: Readonly<Record<string, string>> = {
  querystring: 'The query',
  params: 'The path',
  headers: 'The headers',
  body: 'The body',
};

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/**
 * The schema compilers for fastify. TypeBox validates requests instead of the default Ajv, because the schemas are
 * TypeBox schemas and the library is loaded anyway. Each schema is compiled at its first request, so that the service
 * starts faster. Answers need no serializer, because they are already JSON.
 */
export const compilers = {
  buildValidator: () => compileRequest,
  buildSerializer: () => () => JSON.stringify,
  // The types of fastify describe only Ajv compilers.
} as unknown as CompilersFactory;

function compileRequest({ schema, httpPart = 'body' }: { schema: unknown; httpPart?: string }): Check {
  let check: Check | undefined;
  return (value) => {
    // The route itself reads a raw body.
    if (Buffer.isBuffer(value) || value instanceof Readable) return { value };
    check ??= compileCheck(schema as TSchema, httpPart);
    return check(value);
  };
}

/** Returns a check for raw bodies. It throws an `ApiError`. */
export function bodyCheck(schema: TSchema): (value: unknown) => void {
  let check: Check | undefined;
  return (value) => {
    check ??= compileCheck(schema, 'body');
    const result = check(value);
    if ('error' in result) throw result.error;
  };
}

const require = createRequire(import.meta.url);

function compileCheck(schema: TSchema, part: Part): Check {
  const { Compile } = require('typebox/compile') as typeof import('typebox/compile');
  const compiled = Compile(schema);
  const texts = part !== 'body';
  return (given) => {
    if (part === 'body' && (given === null || given === undefined)) {
      if (compiled.Check(null)) return { value: null };
      return { error: new ApiError('HR_REQUEST_EMPTY_BODY', 'The body is empty; a JSON object is expected') };
    }
    const value = texts ? fromTexts(schema, given as Readonly<Record<string, unknown>>) : given;
    if (compiled.Check(value)) return { value };
    return { error: refusal(schema, part, value, compiled.Errors(value)) };
  };
}

/**
 * Converts the texts of a query, path or headers to the types of the schema. A text that cannot be converted stays
 * unchanged and is refused later. The conversion of TypeBox is not used, because it accepts too much: it turns `true`
 * into 1.
 */
function fromTexts(schema: TSchema, given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { type?: string }>> };
  const value: Record<string, unknown> = { ...given };
  for (const [name, { type }] of Object.entries(properties)) {
    const text = value[name];
    if (typeof text !== 'string') continue;
    if (type === 'array') value[name] = [text];
    else if (type === 'integer' && /^-?[0-9]+$/.test(text)) value[name] = Number(text);
    else if (type === 'boolean' && /^(true|false)$/.test(text)) value[name] = text === 'true';
  }
  return value;
}

interface Mistake {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

/** Returns an error that reports the first mistake, with a hint about the correct values. */
function refusal(schema: TSchema, part: Part, value: unknown, mistakes: readonly Mistake[]): ApiError {
  const word = WORDS[part] ?? part;
  const unknown = mistakes.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown?.instancePath === '') {
    const [name = ''] = (unknown.params as { additionalProperties: string[] }).additionalProperties;
    const what = part === 'querystring' ? 'parameter' : 'property';
    return new ApiError('HR_REQUEST_INVALID', `${word}: there is no ${what} ${name}`, {
      hint: choiceHint(name, propertiesOf(schema)),
    });
  }
  // If no property is allowed, the keyword `additionalProperties` has a better message than the schema `false`.
  const first = mistakes.find(({ keyword }) => keyword !== 'boolean') ?? mistakes[0];
  const path = pathOf(first);
  // A repeated query parameter is a list. The message shows the wrong value instead of its index.
  const name = part === 'querystring' ? (path[0] ?? '') : place(path, value);
  const what = `${word}${name === '' ? '' : `: ${name}`}`;
  if (first?.keyword === 'enum') {
    const choices = (first.params as { allowedValues: unknown[] }).allowedValues.map(String);
    const given = String(path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value));
    return new ApiError('HR_REQUEST_INVALID', `${what} must be one of ${choices.join(', ')}`, {
      hint: choiceHint(given, choices),
    });
  }
  if (unknown !== undefined && unknown === first) {
    const names = (unknown.params as { additionalProperties: string[] }).additionalProperties;
    return new ApiError(
      'HR_REQUEST_INVALID',
      `${what} must not have ${names.map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }
  const format = first?.keyword === 'pattern' ? formatOf((first.params as { pattern: unknown }).pattern) : undefined;
  if (format !== undefined) {
    const given = path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value);
    return new ApiError('HR_REQUEST_INVALID', `${word}: ${name}=${given} is ${format.not}`, { hint: format.hint });
  }
  return new ApiError(
    'HR_REQUEST_INVALID',
    `${what} ${first === undefined ? 'is not valid' : inWords(first, mistakes)}`,
  );
}

/** Returns the property names of an object schema, or of a union of object schemas. */
function propertiesOf(schema: TSchema): string[] {
  const { properties = {}, anyOf = [] } = schema as { properties?: object; anyOf?: TSchema[] };
  return [...Object.keys(properties), ...anyOf.flatMap(propertiesOf)];
}

/** Returns the keys on the path to a mistake. */
function pathOf(mistake: Mistake | undefined): string[] {
  const keys = (mistake?.instancePath ?? '').split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns a path in the format of config problems: `documents[0].id`. */
function place(path: readonly string[], value: unknown): string {
  let text = '';
  let inner = value;
  for (const key of path) {
    text += Array.isArray(inner) ? `[${key}]` : text === '' ? key : `.${key}`;
    inner = (inner as Record<string, unknown> | undefined)?.[key];
  }
  return text;
}

/**
 * Returns the requirement that a value does not meet, in words.
 * @param all all mistakes: a union of types reports one mistake per type
 */
function inWords({ keyword, params, message, instancePath }: Mistake, all: readonly Mistake[]): string {
  const { limit, pattern } = params as { limit?: number; pattern?: unknown };
  switch (keyword) {
    case 'type': {
      const same = all.filter((other) => other.keyword === 'type' && other.instancePath === instancePath);
      const types = new Set(same.map((other) => String((other.params as { type?: unknown }).type)));
      // An optional body may also be null, but clients only need to know the other type.
      if (types.size > 1) types.delete('null');
      return `must be ${[...types].map((type) => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`).join(' or ')}`;
    }
    case 'minimum':
      return `must be ${limit} or more`;
    case 'maximum':
      return `must be ${limit} or less`;
    case 'minLength':
      return 'must not be empty';
    case 'maxLength':
      return `must not have more than ${limit} characters`;
    case 'maxItems':
      return `must not have more than ${limit} entries`;
    case 'pattern':
      return String(pattern) === NOT_BLANK ? 'must not be blank' : `must match ${pattern}`;
    default:
      return message;
  }
}

function choiceHint(given: string, choices: readonly string[]): string {
  const meant = nearest(given, choices);
  return meant === undefined ? `Possible: ${choices.join(', ')}.` : `Did you mean ${meant}?`;
}
