import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TestService, testService } from '../testing/test-service.test.support.ts';

type Schema = {
  type?: string;
  anyOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  $ref?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
};

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}

interface Target {
  method: string;
  path: string;
  operation: Operation;
}

/** Generates values that a schema allows. */
function valid(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(valid));
  switch (schema.type) {
    case 'string':
      return fc.oneof(fc.string(), unicodeText(), fc.constantFrom('', ' ', '0', '../x', '${x}', '%00'));
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 1000 });
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valid(schema.items ?? {}), { maxLength: Math.min(5, schema.maxItems ?? 5) });
    case 'object': {
      const properties = Object.entries(schema.properties ?? {}).map(([name, each]) => [name, valid(each)] as const);
      if (properties.length === 0) {
        const [values] = Object.values(schema.patternProperties ?? {});
        return fc.dictionary(fc.string(), values === undefined ? fc.jsonValue() : valid(values), { maxKeys: 5 });
      }
      return fc.record(Object.fromEntries(properties), { requiredKeys: schema.required ?? [] });
    }
    default:
      return fc.jsonValue();
  }
}

/** Generates values that the schema allows most of the time, and sometimes any JSON value. */
const nearly = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: valid(schema) }, { weight: 1, arbitrary: fc.jsonValue() });

/** Returns a value as it is written in a query or in a text body. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const TYPES = [
  'application/json',
  'application/hocon',
  'text/plain',
  'application/json; charset=utf-8',
  'nonsense',
  '',
];

const HOCON = fc
  .array(
    fc.constantFrom(
      'a',
      ':',
      '{',
      '}',
      '[',
      ']',
      '"',
      '${',
      '${?',
      '+=',
      ',',
      '\n',
      'include ',
      '"x"',
      '1',
      '#',
      '\\',
      '"""',
    ),
  )
  .map((parts) => parts.join(''));

/** Generates a random request for an operation. */
function requestOf({ method, path, operation }: Target, ids: readonly string[]) {
  const inPath = fc.oneof(fc.constantFrom(...ids), fc.string({ minLength: 1 }), unicodeText({ minLength: 1 }));
  const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  const content = Object.entries(operation.requestBody?.content ?? {});
  const bodies = content.flatMap(([type, { schema }]) => [
    fc.tuple(
      fc.constant(type),
      nearly(schema).map((value) => (type.endsWith('hocon') ? asText(value) : JSON.stringify(value))),
    ),
    fc.tuple(fc.constant(type), HOCON),
    fc.tuple(fc.constantFrom(...TYPES), fc.string()),
  ]);
  return fc.record({
    method: fc.constant(method.toUpperCase()),
    path: inPath.map((id) => path.replace('{id}', encodeURIComponent(id))),
    query: fc.record(Object.fromEntries(query.map(({ name, schema }) => [name, nearly(schema).map(asText)])), {
      requiredKeys: [],
    }),
    body: bodies.length === 0 ? fc.constant(undefined) : fc.option(fc.oneof(...bodies), { nil: undefined }),
  });
}

async function send(service: TestService, request: { method: string; path: string; query: object; body: unknown }) {
  const [type, body] = (request.body ?? ['', undefined]) as [string, string | undefined];
  const query = new URLSearchParams(request.query as Record<string, string>).toString();
  return service.ask(request.path + (query === '' ? '' : `?${query}`), {
    method: request.method,
    ...(body === undefined || request.method === 'GET' ? {} : { body, type }),
  });
}

describe('random requests generated from the OpenAPI document', () => {
  it('never cause an internal error, and every refusal has the error format', async () => {
    const service = await testService();
    const configId = await service.store();
    const { runId } = await service.run(configId);
    const { paths } = (await service.ask('/openapi.json')).json as { paths: Record<string, Record<string, Operation>> };
    const targets = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    );
    expect(targets.length).toBeGreaterThan(15);
    for (const target of targets) {
      await fc.assert(
        fc.asyncProperty(requestOf(target, [configId, runId]), async (request) => {
          const answer = await send(service, request);
          const declared = Object.keys(target.operation.responses);
          expect(answer.status).toBeLessThan(500);
          if (answer.status < 400) {
            expect(declared).toContain(String(answer.status));
            return;
          }
          expect(answer.headers.get('content-type')).toBe('application/json');
          expect(answer.json).toMatchObject({
            status: answer.status,
            error: expect.stringMatching(/./),
            message: expect.stringMatching(/./),
            code: expect.stringMatching(/^HR_/),
          });
        }),
        { numRuns: process.env['CI'] === undefined ? 6 : 60 },
      );
    }
    expect((await service.ask('/v1/readyz')).status).toBe(200);
    expect((await service.ask('/v1/config')).status).toBe(200);
    expect((await service.ask('/v1/run')).status).toBe(200);
  });
});
