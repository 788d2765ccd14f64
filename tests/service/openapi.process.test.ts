import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, type RunDetails, type Served, serve, upload } from './served.ts';

interface Operation {
  operationId: string;
  'x-role': string;
  summary: string;
  parameters?: {
    name: string;
    in: 'path' | 'query' | 'header';
    required?: boolean;
    schema: object;
    example?: unknown;
  }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

type Content = Record<string, { schema: object; example?: unknown }>;

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

/** A config whose run continues until a client cancels it. */
const ENDLESS = `connectors: [{ class: SleepConnector, duration: 600000 }], pipelines: [], indexer { type: Nop }`;
/** A config with documents that all fail. */
const FAILING = `
connectors: [{ class: SequenceConnector, name: numbers, pipeline: p, numDocs: 1 }]
pipelines: [{ name: p, stages: [{ class: ParseJson, src: id, sourceIsBase64: true, jsonFieldPaths { a: "$.a" } }] }]
indexer { type: Nop }
`;

let served: Served;
let document: OpenApi;
let ajv: Ajv2020;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-openapi-'));
  const settings = 'server: { host: 127.0.0.1, port: 0 }\nstorage: { type: memory }\n';
  writeFileSync(join(directory, 'service.yml'), settings);
  served = await serve(directory);
  document = (await (await fetch(`${served.url}/openapi.json`)).json()) as OpenApi;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addSchema(document, 'openapi');
  return async () => {
    served.process.child.kill();
    await served.process.ended;
    rmSync(directory, { recursive: true });
  };
});

function operations(): { name: string; path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
}

/** Returns the errors of a value against a schema of the OpenAPI document. */
function mistakes(pointer: readonly string[], value: unknown): string | undefined {
  const path = pointer.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const validate = ajv.getSchema(`openapi#/${path}`);
  if (validate === undefined) throw new Error(`There is no schema ${path}`);
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}

/** Tested in tests/web/rollback.server.test.ts. */
const NEEDS_SEARCH_ENGINE = 'POST /v1/run/{id}/rollback';

describe('the OpenAPI document of the service', () => {
  it('is valid', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) });
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  it('names and summarises each operation once', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(operations().filter(({ operation }) => !operation.summary)).toEqual([]);
  });

  it('has an example for every parameter, request body and response', () => {
    const without = operations().flatMap(({ name, operation }) => {
      const { parameters = [], requestBody, responses } = operation;
      const needed = parameters.filter((parameter) => parameter.in === 'path' && parameter.example === undefined);
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      const contents = [requestBody?.content, success?.content].filter((content) => content !== undefined);
      const bare = contents.filter((content) => Object.values(content).every(({ example }) => example === undefined));
      return needed.length + bare.length === 0 ? [] : [name];
    });
    expect(without).toEqual([]);
  });

  it('has examples that match its schemas', () => {
    const wrong: string[] = [];
    for (const { path, name, method, operation } of operations()) {
      const base = ['paths', path, method.toLowerCase()];
      const contents: [string[], Content][] = Object.entries(operation.responses).map(([status, { content = {} }]) => [
        [...base, 'responses', status, 'content'],
        content,
      ]);
      if (operation.requestBody !== undefined)
        contents.push([[...base, 'requestBody', 'content'], operation.requestBody.content]);
      for (const [pointer, content] of contents) {
        for (const [type, { example }] of Object.entries(content)) {
          const reported = example === undefined ? undefined : mistakes([...pointer, type, 'schema'], example);
          if (reported !== undefined) wrong.push(`${name} ${pointer.at(-2)}: ${reported}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has examples that the service answers as documented', async () => {
    const wrong: string[] = [];
    const tried = operations().filter(({ name }) => name !== NEEDS_SEARCH_ENGINE);
    expect(tried).toHaveLength(operations().length - 1);
    for (const { name, path, method, operation } of tried) {
      const reported = await tryExample(path, method, operation);
      if (reported !== undefined) wrong.push(`${name}: ${reported}`);
    }
    expect(wrong).toEqual([]);
  });

  it('describes every error response', async () => {
    const refusals = [
      await fetch(`${served.url}/v1/config/nothing`),
      await fetch(`${served.url}/v1/run`, {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      }),
      await fetch(`${served.url}/v1/run`, { method: 'POST', body: 'a=b' }),
      await fetch(`${served.url}/v1/run?limit=0`),
    ];
    for (const refusal of refusals) {
      expect(mistakes(['components', 'schemas', 'Error'], await refusal.json())).toBeUndefined();
    }
  });

  it('has a section of docs/api.md for each operation, with its role, parameters and fields', () => {
    const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const missing = operations().flatMap(({ name, operation }) => {
      const [, section = ''] = page.split(`\n### \`${name}\`\n`);
      const text = section.split('\n### ')[0] as string;
      const { parameters = [], requestBody, 'x-role': role } = operation;
      const schemas = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema as { properties?: object });
      const names = [...parameters, ...schemas.flatMap(({ properties = {} }) => namesOf(properties))];
      return [
        ...(role === 'open' || text.includes(`the role \`${role}\``) ? [] : [`${name}: ${role}`]),
        ...names.filter((each) => !text.includes(`\n| \`${each.name}\` `)).map((each) => `${name}: ${each.name}`),
      ];
    });
    expect(missing).toEqual([]);
  });
});

/** Returns the names of the properties of a schema. */
function namesOf(properties: object): { name: string }[] {
  return Object.keys(properties).map((name) => ({ name }));
}

/** Sends the example of an operation. Returns how the response differs from the document. */
async function tryExample(path: string, method: string, operation: Operation): Promise<string | undefined> {
  const ids = await idsFor(path, method);
  const real = (text: string) => {
    let replaced = text;
    for (const [example, id] of Object.entries(ids)) replaced = replaced.replaceAll(example, id);
    return replaced;
  };
  const { parameters = [], requestBody, responses } = operation;
  let url = path;
  const query = new URLSearchParams();
  for (const { name, in: where, example } of parameters) {
    if (example === undefined) continue;
    if (where === 'path') url = url.replace(`{${name}}`, encodeURIComponent(real(String(example))));
    if (where === 'query') query.set(name, real(String(example)));
  }
  const [type, body] =
    Object.entries(requestBody?.content ?? {}).find(([, { example }]) => example !== undefined) ?? [];
  const text = typeof body?.example === 'string' ? body.example : JSON.stringify(body?.example);
  const response = await fetch(`${served.url}${url}?${query}`, {
    method,
    ...(type === undefined ? {} : { body: real(text), headers: { 'content-type': type } }),
  });
  const given = await response.text();
  const status = String(response.status);
  if (!status.startsWith('2')) return `${status} ${given}`;
  const described = responses[status];
  if (described === undefined) return `${status} is not in the document`;
  const mediaType = (response.headers.get('content-type') ?? '').split(';')[0] as string;
  if (described.content === undefined) return given === '' ? undefined : `no body is described: ${given}`;
  const content = described.content[mediaType];
  if (content === undefined) return given === '' ? undefined : `${mediaType} is not described`;
  const value: unknown = mediaType === 'application/json' ? JSON.parse(given) : given;
  const reported = mistakes(
    ['paths', path, method.toLowerCase(), 'responses', status, 'content', mediaType, 'schema'],
    value,
  );
  if (reported !== undefined) return reported;
  const stray = typeof value === 'string' ? [] : strangers(content.example, value, ids);
  return stray.length === 0 ? undefined : `the example has ${stray.join(', ')}, the answer has not`;
}

/** Creates a config and a run for an operation. Returns their ids by the ids in the examples. */
async function idsFor(path: string, method: string): Promise<Record<string, string>> {
  const cancels = path.endsWith('/cancel') || (method === 'DELETE' && path.startsWith('/v1/run'));
  const fails = /\/(failures|failures\/groups|retry)$/.test(path);
  const example = document.paths['/v1/config']?.['post']?.requestBody?.content['application/hocon']?.example as string;
  const configId = await upload(served.url, cancels ? ENDLESS : fails ? FAILING : example);
  if (/\/(versions|diff)\b/.test(path)) await replace(configId, example.replace('numDocs: 3', 'numDocs: 4'));
  if (path.endsWith('/schedule')) await schedule(configId);
  if (path.startsWith('/v1/file') && method !== 'PUT') await uploadFile(exampleOf('/v1/file/{name}'));
  const response = await fetch(`${served.url}/v1/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ configId, labels: { team: 'search' } }),
  });
  const { runId } = (await response.json()) as RunDetails;
  if (!cancels) await finished(served.url, runId);
  return { [exampleOf('/v1/config/{id}')]: configId, [exampleOf('/v1/run/{id}')]: runId };
}

/** Creates a second version of a config. */
async function replace(configId: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/hocon' };
  const response = await fetch(`${served.url}/v1/config/${configId}`, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(await response.text());
}

/** Uploads a file, or replaces it. */
async function uploadFile(name: string): Promise<void> {
  const headers = { 'content-type': 'application/octet-stream' };
  const url = `${served.url}/v1/file/${name}?replace=true`;
  const response = await fetch(url, { method: 'PUT', headers, body: 'sku,name\n1,Chair\n' });
  if (!response.ok) throw new Error(await response.text());
}

/** Sets a schedule of a config. */
async function schedule(configId: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ cron: '0 3 * * *', labels: { team: 'search' } });
  const response = await fetch(`${served.url}/v1/config/${configId}/schedule`, { method: 'PUT', headers, body });
  if (!response.ok) throw new Error(await response.text());
}

function exampleOf(path: string): string {
  const [first] = document.paths[path]?.['get']?.parameters ?? [];
  return String(first?.example);
}

/** Returns the members of an example that the response lacks, as paths of names. Lists are compared by their first item. */
function strangers(example: unknown, value: unknown, ids: Record<string, string>, at = ''): string[] {
  if (Array.isArray(example)) {
    if (example.length === 0 || !Array.isArray(value)) return [];
    // An item may lack members that are optional.
    const found = value.map((item) => strangers(example[0], item, ids, `${at}[0]`));
    return found.toSorted((a, b) => a.length - b.length)[0] ?? [at];
  }
  if (example === null || typeof example !== 'object' || value === null) return [];
  if (typeof value !== 'object') return [at];
  return Object.entries(example).flatMap(([key, member]) => {
    const name = ids[key] ?? key;
    if (!Object.hasOwn(value, name)) return [`${at}.${key}`];
    return strangers(member, (value as Record<string, unknown>)[name], ids, `${at}.${key}`);
  });
}
