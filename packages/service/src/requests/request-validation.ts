import { createRequire } from 'node:module';
import { nearest, type TSchema } from '@headrace/engine';
import type { FastifyServerOptions } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { formatOf } from './text-formats.ts';

type Part = 'body' | 'headers' | 'params' | 'querystring' | (string & {});
type Check = (value: unknown) => { value: unknown } | { error: ApiError };

/** The pattern of texts that contain more than white space. */
const NOT_BLANK = '\\S';

const WORDS: Readonly<Record<string, string>> = {
  querystring: 'The query',
  params: 'The path',
  headers: 'The headers',
  body: 'The body',
};

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/**
 * The schema compilers for fastify. Requests are validated by TypeBox instead of the default Ajv, because the schemas
 * are TypeBox schemas and the library is loaded anyway. A schema is compiled at its first request, so that the service
 * starts sooner. Answers are already JSON when they reach fastify.
 */
export const compilers = {
  buildValidator: () => compileRequest,
  buildSerializer: () => () => JSON.stringify,
  // The types of fastify only describe Ajv compilers.
} as unknown as CompilersFactory;

function compileRequest({ schema, httpPart = 'body' }: { schema: unknown; httpPart?: string }): Check {
  let check: Check | undefined;
  return (value) => {
    // A raw body is parsed by its route.
    if (Buffer.isBuffer(value)) return { value };
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
 * Converts the texts of a query, path or headers to the types of the schema. A text that does not fit stays a text, and
 * is refused later. TypeBox's own conversion is too generous: it turns `true` into 1.
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

/** Reports only the first mistake, with a hint what would be right. */
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
  // Where no property is allowed, `additionalProperties` says it better than the schema `false`.
  const first = mistakes.find(({ keyword }) => keyword !== 'boolean') ?? mistakes[0];
  const path = pathOf(first);
  // A repeated query parameter is a list. Its value shows which one is wrong.
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

/** The property names of an object schema, or of a union of them. */
function propertiesOf(schema: TSchema): string[] {
  const { properties = {}, anyOf = [] } = schema as { properties?: object; anyOf?: TSchema[] };
  return [...Object.keys(properties), ...anyOf.flatMap(propertiesOf)];
}

/** The keys on the path to a mistake. */
function pathOf(mistake: Mistake | undefined): string[] {
  const keys = (mistake?.instancePath ?? '').split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A path in the format of config problems: `documents[0].id`. */
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
 * The requirement in words.
 * @param all a union of types reports one mistake per type
 */
function inWords({ keyword, params, message, instancePath }: Mistake, all: readonly Mistake[]): string {
  const { limit, pattern } = params as { limit?: number; pattern?: unknown };
  switch (keyword) {
    case 'type': {
      const same = all.filter((other) => other.keyword === 'type' && other.instancePath === instancePath);
      const types = new Set(same.map((other) => String((other.params as { type?: unknown }).type)));
      // An optional body may also be null, but clients need to know only the other type.
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
      return String(pattern) === NOT_BLANK ? 'must not be blank' : `has to match ${pattern}`;
    default:
      return message;
  }
}

function choiceHint(given: string, choices: readonly string[]): string {
  const meant = nearest(given, choices);
  return meant === undefined ? `Possible: ${choices.join(', ')}.` : `Did you mean ${meant}?`;
}
