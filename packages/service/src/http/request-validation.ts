import { createRequire } from 'node:module';
import type { TSchema } from '@headrace/engine';
import type { FastifyServerOptions } from 'fastify';
import { Refusal } from '../errors/refusal.ts';

type Part = 'body' | 'headers' | 'params' | 'querystring' | (string & {});
type Check = (value: unknown) => { value: unknown } | { error: Refusal };

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
      return { error: new Refusal('HR_REQUEST_EMPTY_BODY', 'The body is empty; a JSON object is expected') };
    }
    const value = texts ? Value.Convert(schema, given) : given;
    if (compiled.Check(value)) return { value };
    const [first] = compiled.Errors(value);
    const place = (first?.instancePath ?? '').slice(1).replaceAll('/', '.');
    const what = `${WORDS[part] ?? part}${place === '' ? '' : `: ${place}`}`;
    return { error: new Refusal('HR_REQUEST_INVALID', `${what} ${first?.message ?? 'is not valid'}`) };
  };
}
