import { Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../errors/refusal.ts';
import { Labels, RunStateAnswer } from '../runs/run-details.ts';
import { type RunManager, runNotFound } from '../runs/run-manager.ts';
import { sendJson, streamJson } from './json.ts';
import { answers, DEFAULT_PAGE, idParams, pageOf, pageQuery, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

/** Runs read from the store at a time, when all of them are listed. */
const LIST_STEP = 200;

const RunDetails = Type.Ref('RunDetails');

/** What the contract will have, and what would do harm if it were ignored: a run that is to go elsewhere. */
const NOT_YET = ['config', 'overrides'] as const;

function notYet(name: string): Refusal {
  return new Refusal('HR_REQUEST_INVALID', `"${name}" is not taken in this version`, {
    hint: 'Upload the config as it is to run (POST /v1/config), and give its configId.',
  });
}

const RunBody = Type.Object(
  {
    configId: Type.String({ pattern: '\\S', description: 'A config that was stored, or the name of a preset' }),
    labels: Type.Optional(Labels),
  },
  { description: 'Other properties are ignored' },
);

interface RunQuery {
  limit?: number;
  after?: string;
  configId?: string;
  status?: string;
}

/** Starting, watching and cancelling runs. */
export async function runRoutes(app: FastifyInstance, { runs }: ServiceParts): Promise<void> {
  const tags = ['run'];

  app.post<{ Body: { configId: string; labels?: Record<string, string> } }>(
    '/v1/run',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Start a run; it goes on in the background',
        body: RunBody,
        response: answers({ 200: RunDetails }, 400, 415, 429, 503),
      },
    },
    async ({ body, user }, reply) => {
      for (const name of NOT_YET) if (name in body) throw notYet(name);
      const { configId, labels = {} } = body;
      return sendJson(reply, await runs.start({ configId, labels, requestedBy: user }));
    },
  );

  app.get<{ Querystring: RunQuery }>(
    '/v1/run',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'All runs, newest first; with any parameter a page of them',
        querystring: queryOf({
          ...pageQuery,
          configId: Type.Optional(Type.String()),
          status: Type.Optional(RunStateAnswer),
        }),
        response: answers({ 200: Type.Union([Type.Array(RunDetails), pageOf(RunDetails)]) }, 400),
      },
    },
    async ({ query }, reply) => {
      const all = Object.keys(query).length === 0;
      return all ? streamJson(reply, allRuns(runs)) : sendJson(reply, await runPage(runs, query));
    },
  );

  app.get<{ Params: { id: string } }>(
    '/v1/run/:id',
    {
      config: { access: 'reader' },
      schema: { tags, summary: 'A run', params: idParams, response: answers({ 200: RunDetails }, 404) },
    },
    async ({ params: { id } }, reply) => {
      const details = await runs.details(id);
      if (details === undefined) throw runNotFound(id);
      return sendJson(reply, details);
    },
  );

  for (const { method, url } of [
    { method: 'DELETE', url: '/v1/run/:id' },
    { method: 'POST', url: '/v1/run/:id/cancel' },
  ] as const) {
    app.route<{ Params: { id: string } }>({
      method,
      url,
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Cancel a run: one that waits is done at once, one that goes on finishes what is in flight',
        params: idParams,
        response: answers({ 202: RunDetails }, 404, 409),
      },
      handler: async ({ params: { id } }, reply) => sendJson(reply.code(202), await runs.cancel(id)),
    });
  }
}

async function* allRuns(runs: RunManager): AsyncGenerator<string> {
  let separator = '[';
  let before: number | undefined;
  for (;;) {
    const page = await runs.list({ before, limit: LIST_STEP });
    for (const { details } of page) {
      yield separator + details;
      separator = ',';
    }
    if (page.length < LIST_STEP) break;
    before = page.at(-1)?.seq;
  }
  yield separator === '[' ? '[]' : ']';
}

async function runPage(runs: RunManager, query: RunQuery): Promise<string> {
  const { limit = DEFAULT_PAGE, after, configId, status } = query;
  if (after !== undefined && !/^\d{1,15}$/.test(after)) {
    throw new Refusal('HR_REQUEST_INVALID', `${after} is not the "next" of an earlier page`);
  }
  const before = after === undefined ? undefined : Number(after);
  // One more than asked for tells whether there is another page.
  const found = await runs.list({ before, limit: limit + 1 }, { configId, status });
  const items = found.slice(0, limit);
  const next = found.length > limit ? String(items.at(-1)?.seq) : null;
  return `{"items":[${items.map(({ details }) => details).join(',')}],"next":${JSON.stringify(next)}}`;
}
