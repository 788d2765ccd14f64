import { type Static, Type } from '@headrace/engine';
import { RunStateAnswer } from '../api/run-details.ts';
import { DocumentedRunBody } from '../requests/run-body.ts';
import { repeatOf } from '../runs/repeated-requests.ts';
import type { RunCreator } from '../runs/run-creator.ts';
import { type RunManager, runNotFound } from '../runs/run-manager.ts';
import type { RunFilter } from '../store/store.ts';
import { requireRole } from './access.ts';
import { sendJson, streamJson } from './json.ts';
import { labelQuery, parseLabels } from './label-query.ts';
import { acceptRawBodies } from './raw-bodies.ts';
import { repeatHeaders } from './repeat-headers.ts';
import { answers, DEFAULT_PAGE, pageOf, pageQuery, paragraphs, queryOf, runParams } from './route-schemas.ts';
import { ownBody, type ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';
import { parseTime, timeQuery } from './time-query.ts';

/** How many runs are read from the store at a time when all are listed. */
const LIST_STEP = 200;

const RunDetails = Type.Ref('RunDetails');

const runQuery = queryOf({
  ...pageQuery,
  configId: Type.Optional(Type.String({ description: 'The id or name of a config' })),
  status: Type.Optional(
    Type.Array(RunStateAnswer, { description: 'Repeat it for several states; a run must have one of them' }),
  ),
  label: labelQuery,
  requestedBy: Type.Optional(Type.String({ description: 'The name of a user' })),
  since: timeQuery('Requested at this time or later'),
  until: timeQuery('Requested before this time'),
});

type RunQuery = Static<typeof runQuery>;

/** The routes that start, list, show and cancel runs. */
export async function runRoutes(
  app: ServiceApp,
  { runs, creator, reader, maxConfigBytes }: ServiceParts,
): Promise<void> {
  const tags = ['run'];

  acceptRawBodies(app, 'application/json');

  app.post(
    '/v1/run',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'operator', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags,
        summary: 'Start a run; it continues in the background',
        description: paragraphs(
          'A run with a mistake in its config is accepted, and fails immediately with the problems. `config` and `overrides` need the role `admin`, because they can send the data of a config, including its passwords, to another place.',
          '`limits.maxConcurrentRuns` runs run at a time. The others wait, up to `limits.maxQueuedRuns`; beyond that the answer is 429. It is also 429 if the configs of the waiting runs would have more than 32 Mi characters in total; runs of one version of a stored config count it once.',
          'A body that is not strict JSON is read as HOCON: `config { … }`, once and in braces. Its substitutions search the config, not the body.',
        ),
        headers: repeatHeaders,
        body: ownBody<Buffer>(DocumentedRunBody),
        response: answers({ 200: RunDetails }, 400, 403, 409, 413, 415, 422, 429, 503),
      },
    },
    async (request, reply) => {
      const body = await reader.runBody(request.body);
      if ('text' in body.config || body.overrides !== undefined) requireRole(request, 'admin');
      const repeat = repeatOf(request.headers['idempotency-key'], request.body ?? '');
      return sendJson(reply, await creator.start(body, { requestedBy: request.user, requestId: request.id }, repeat));
    },
  );

  app.get(
    '/v1/run',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'All runs, newest first; with any parameter, one page of them',
        querystring: runQuery,
        response: answers({ 200: Type.Union([Type.Array(RunDetails), pageOf(RunDetails)]) }, 400),
      },
    },
    async ({ query }, reply) => {
      const all = Object.keys(query).length === 0;
      return all
        ? streamJson(reply, allRuns(runs))
        : sendJson(reply, await runPage(runs, query, await filterOf(query, creator)));
    },
  );

  app.get(
    '/v1/run/:id',
    {
      config: { access: 'reader' },
      schema: { tags, summary: 'A run', params: runParams, response: answers({ 200: RunDetails }, 404) },
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
    app.route({
      method,
      url,
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Cancel a run: a waiting run ends immediately, a running one finishes its open documents',
        description: 'After ten seconds the threads of the run are ended by force. A finished run gets 409.',
        params: runParams,
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

async function filterOf(query: RunQuery, creator: RunCreator): Promise<RunFilter> {
  const { configId, status, label = [], requestedBy, since, until } = query;
  return {
    configId: configId === undefined ? undefined : await creator.configId(configId),
    statuses: status,
    labels: parseLabels(label),
    requestedBy,
    since: parseTime('since', since),
    until: parseTime('until', until),
  };
}

async function runPage(
  runs: RunManager,
  { limit = DEFAULT_PAGE, after }: RunQuery,
  filter: RunFilter,
): Promise<string> {
  // Read one run more than requested, to know whether there is another page.
  const found = await runs.list({ before: after === undefined ? undefined : Number(after), limit: limit + 1 }, filter);
  const items = found.slice(0, limit);
  const next = found.length > limit ? String(items.at(-1)?.seq) : null;
  return `{"items":[${items.map(({ details }) => details).join(',')}],"next":${JSON.stringify(next)}}`;
}
