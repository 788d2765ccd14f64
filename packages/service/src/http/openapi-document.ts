import { STATUS_CODES } from 'node:http';
import { SERVICE_ERROR_CODES } from '../errors/service-error-codes.ts';
import { EXAMPLES, type OperationExample } from './openapi-examples.ts';
import { paragraphs } from './route-schemas.ts';
import { TIME_SCHEMA } from './time-query.ts';

interface Content {
  [type: string]: { schema?: { type?: unknown; $ref?: string }; example?: unknown };
}

interface Answer {
  description: string;
  headers?: Record<string, object>;
  content?: Content;
}

export interface Operation {
  operationId?: string;
  /** The role that the operation needs; `open`: it needs no login. */
  'x-role'?: string;
  parameters?: { name: string; in: string; schema?: object; example?: unknown }[];
  requestBody?: { content: Content };
  responses: Record<string, Answer>;
  security?: object[];
}

/** The parts of an OpenAPI document that this module changes. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
}

/** What all operations have in common. */
export const INTRODUCTION = paragraphs(
  'The service stores configs, runs them and reports on the runs. Where a request needs the id of a config, its name works too. Times in answers are seconds since the epoch. With users, an operation needs a role, `x-role`: a `reader` reads, an `operator` also runs, schedules and previews, an `admin` may do everything. `open` operations need no login.',
  'All errors have the form of the schema `Error`. Lists are pages: send the `next` of an answer as `after` to get the next page; `next` is null on the last one.',
  'Unknown query parameters and unknown properties of a body are refused. Exceptions: the probes, `/v1/version`, `/metrics`, `/swagger` and `/openapi.json` ignore other parameters, because health checks send some against caches. `POST /v1/run` ignores unknown properties, as in Lucille.',
  'A body needs a content type, otherwise the answer is 415 with the accepted types. Compressed bodies (`Content-Encoding`) get 415 too. Bodies of configs, runs and previews may have `limits.maxConfigBytes`, uploaded files `limits.maxFileBytes`, all others 1 MiB. They may be nested 1000 levels deep; deeper ones get 400. The bodies of all open requests, without uploaded files, may have 256 MiB in total; beyond that, requests get 503 with `Retry-After`.',
  'Configs, and bodies of runs and previews, of more than 16 KiB are read in a separate thread, in order: stored configs first, then those in requests, including runs with overrides. Each has 15 seconds and 1 GiB of memory (less with a smaller `--max-old-space-size`). A config that needs more gets 400. At most 16 requests may wait; beyond that, requests get 429 with `Retry-After`.',
  'Each request has an id: its header `X-Request-Id` if that has up to 128 letters, digits and `.:/+=@_-`, otherwise a new one. It is in the header of the answer, in the body of every error and in the log. No cache may keep an answer: it has `Cache-Control: no-store`, or `private, no-cache` with an `ETag`.',
);

/** The tags of the operations, in the order of the API browser. */
export const TAGS: readonly { name: string; description: string }[] = [
  { name: 'config', description: 'Storing and checking configs' },
  { name: 'run', description: 'Starting, watching and cancelling runs' },
  { name: 'schedule', description: 'When the service starts runs by itself' },
  { name: 'preview', description: 'Test a pipeline with documents' },
  { name: 'file', description: 'Files that configs can read' },
  { name: 'config-info', description: 'The components that a config may use' },
  { name: 'health', description: 'Probes' },
  { name: 'stats', description: 'Measurements' },
  { name: 'user', description: 'The sender of a request' },
  { name: 'docs', description: 'This document' },
];

/** The headers of each status, for all routes. */
const HEADERS: Readonly<Record<string, Record<string, object>>> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string' }, description: 'How to log in' } },
  405: { Allow: { schema: { type: 'string' }, description: 'The supported methods' } },
  429: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds to wait' } },
};

/** The names of the parameters that are times. */
const TIMES: ReadonlySet<string> = new Set(['since', 'until']);

/** Completes the document of fastify's plugin: operation ids, examples, error codes and headers. */
export function completeDocument(document: OpenApiDocument): void {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      operation.operationId = operationId(method, path);
      if (operation.security !== undefined) addLogin(operation);
      for (const [status, answer] of Object.entries(operation.responses)) completeAnswer(status, answer);
      addExample(operation, EXAMPLES[`${method.toUpperCase()} ${path}`] ?? {});
    }
  }
}

/** Returns the id of an operation: `GET /v1/run/{id}/events` becomes `getRunByIdEvents`. */
function operationId(method: string, path: string): string {
  const words = path
    .replace(/^\/v1\//, '')
    .replace(/\{(\w+)\}/g, 'by-$1')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return [method, ...words.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)].join('');
}

function addLogin({ responses }: Operation): void {
  const content = { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } };
  for (const status of ['401', '403']) responses[status] ??= { description: STATUS_CODES[status] ?? '', content };
}

function completeAnswer(status: string, answer: Answer): void {
  // The schema null means an answer without a body.
  if (answer.content?.[JSON_TYPE]?.schema?.type === 'null') delete answer.content;
  const codes = Object.entries(SERVICE_ERROR_CODES).filter(([, error]) => String(error.status) === status);
  if (codes.length > 0) {
    const list = codes.map(([code, { meaning }]) => `- \`${code}\`: ${meaning}`);
    answer.description = [STATUS_CODES[status], '', ...list].join('\n');
    const [code, { meaning: message }] = codes[0] as (typeof codes)[number];
    const content = answer.content?.[JSON_TYPE];
    const example = { status: Number(status), error: STATUS_CODES[status], message, code, requestId: 'a1b2c3' };
    if (content !== undefined) content.example ??= example;
  }
  const headers = HEADERS[status];
  if (headers !== undefined) answer.headers = { ...headers, ...answer.headers };
}

function addExample(operation: Operation, { parameters = {}, body, answer }: OperationExample): void {
  for (const parameter of operation.parameters ?? []) {
    if (TIMES.has(parameter.name)) parameter.schema = TIME_SCHEMA;
    if (Object.hasOwn(parameters, parameter.name)) parameter.example = parameters[parameter.name];
  }
  const sent = body === undefined ? undefined : operation.requestBody?.content[body.type];
  if (sent !== undefined) sent.example = body?.value;
  const success = Object.keys(operation.responses).find((status) => status.startsWith('2')) ?? '';
  const [given] = Object.values(operation.responses[success]?.content ?? {});
  if (given !== undefined && answer !== undefined) given.example = answer;
}

const JSON_TYPE = 'application/json';
