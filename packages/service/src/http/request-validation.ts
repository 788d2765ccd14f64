import { createRequire } from 'node:module';
import { nearest, type TSchema } from '@headrace/engine';
import type { FastifyServerOptions } from 'fastify';
import { Refusal } from '../errors/refusal.ts';

type Part = 'body' | 'headers' | 'params' | 'querystring' | (string & {});
type Check = (value: unknown) => { value: unknown } | { error: Refusal };

/** The pattern of texts that are more than white space. */
const NOT_BLANK = '\\S';

const WORDS: Readonly<Record<string, string>> = { querystring: 'The query', params: 'The path', body: 'The body' };

type CompilersFactory = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>;

/**
 * What fastify makes of schemas. Requests are checked by TypeBox instead of the default Ajv, because the schemas are
 * TypeBox's and the library is there anyway; it compiles with the first request that needs it, so the service starts
 * sooner. Answers are JSON before they reach fastify.
 */
export const compilers = {
  buildValidator: () => compileRequest,
  buildSerializer: () => () => JSON.stringify,
  // The types of fastify know the compilers of Ajv alone.
} as unknown as CompilersFactory;

function compileRequest({ schema, httpPart = 'body' }: { schema: unknown; httpPart?: string }): Check {
  let check: Check | undefined;
  return (value) => {
    // A body that is handed on as bytes is for its handler to read.
    if (Buffer.isBuffer(value)) return { value };
    check ??= compileCheck(schema as TSchema, httpPart);
    return check(value);
  };
}

/** Checks a body that was taken as bytes. Throws a `Refusal`. */
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
  const { Value } = require('typebox/value') as typeof import('typebox/value');
  const compiled = Compile(schema);
  const texts = part !== 'body';
  return (given) => {
    if (part === 'body' && (given === null || given === undefined)) {
      if (compiled.Check(null)) return { value: null };
      return { error: new Refusal('HR_REQUEST_EMPTY_BODY', 'The body is empty; a JSON object is expected') };
    }
    const value = texts ? Value.Convert(schema, given) : given;
    if (compiled.Check(value)) return { value };
    return { error: refusal(schema, part, value, compiled.Errors(value)) };
  };
}

interface Mistake {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

/** Tells of the first mistake only, but of that with what would be right. */
function refusal(schema: TSchema, part: Part, value: unknown, mistakes: readonly Mistake[]): Refusal {
  const word = WORDS[part] ?? part;
  const unknown = mistakes.find(({ keyword }) => keyword === 'additionalProperties');
  if (part === 'querystring' && unknown !== undefined) {
    const [name = ''] = (unknown.params as { additionalProperties: string[] }).additionalProperties;
    const known = Object.keys((schema as { properties?: object }).properties ?? {});
    return new Refusal('HR_REQUEST_INVALID', `${word}: there is no parameter ${name}`, {
      hint: choiceHint(name, known),
    });
  }
  // That nothing fits where no property may be is told better by what says so.
  const first = mistakes.find(({ keyword }) => keyword !== 'boolean') ?? mistakes[0];
  const path = (first?.instancePath ?? '').split('/').slice(1);
  // A parameter that is given several times is a list; which of them is wrong, its value tells.
  const name = (part === 'querystring' ? path.slice(0, 1) : path).join('.');
  const what = `${word}${name === '' ? '' : `: ${name}`}`;
  if (first?.keyword === 'enum') {
    const choices = (first.params as { allowedValues: unknown[] }).allowedValues.map(String);
    const given = String(path.reduce((inner, key) => (inner as Record<string, unknown>)[key], value));
    return new Refusal('HR_REQUEST_INVALID', `${what} has to be one of ${choices.join(', ')}`, {
      hint: choiceHint(given, choices),
    });
  }
  if (unknown !== undefined && unknown === first) {
    const names = (unknown.params as { additionalProperties: string[] }).additionalProperties;
    return new Refusal(
      'HR_REQUEST_INVALID',
      `${what} must not have ${names.map((each) => JSON.stringify(each)).join(', ')}`,
    );
  }
  return new Refusal('HR_REQUEST_INVALID', `${what} ${first === undefined ? 'is not valid' : inWords(first)}`);
}

/** What a value has to be, for a person. */
function inWords({ keyword, params, message }: Mistake): string {
  const { limit, pattern, type } = params as { limit?: number; pattern?: unknown; type?: string };
  switch (keyword) {
    case 'type':
      return `has to be ${/^[aeiou]/.test(String(type)) ? 'an' : 'a'} ${type}`;
    case 'minimum':
      return `has to be ${limit} or more`;
    case 'maximum':
      return `has to be ${limit} or less`;
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
