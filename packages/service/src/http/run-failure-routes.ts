import { Type, withoutDocument } from '@headrace/engine';
import { repeatOf } from '../runs/repeated-requests.ts';
import { runNotFound } from '../runs/run-manager.ts';
import type { FailureGroups } from '../store/store.ts';
import { sendJson } from './json.ts';
import { repeatHeaders } from './repeat-headers.ts';
import { answers, DEFAULT_PAGE, pageOf, pageQuery, paragraphs, queryOf, runParams } from './route-schemas.ts';
import type { ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const Failure = Type.Ref('Failure');

const RetryBodySchema = Type.Object(
  {
    configId: Type.Optional(
      Type.String({
        pattern: '\\S',
        description: 'The config for the retry, in its current version. Default: the version of the run',
      }),
    ),
    group: Type.Optional(
      Type.String({ pattern: '\\S', description: 'The group of failed documents to process. Default: all of them' }),
    ),
  },
  { additionalProperties: false },
);

const FailureGroupAnswer = Type.Object({
  group: Type.String({ description: 'The key of the group' }),
  count: Type.Integer({ minimum: 1 }),
  replayable: Type.Integer({ minimum: 0, description: 'How many of them can be processed again' }),
  example: Failure,
});

const FailureGroupsAnswer = Type.Object({
  items: Type.Array(FailureGroupAnswer, { description: 'The largest groups first' }),
  groups: Type.Integer({ description: 'The number of all groups' }),
  failures: Type.Integer({ description: 'The number of stored failed documents in all groups' }),
});

/** The maximum number of characters of the examples of all groups. Further examples have no document. */
const MAX_EXAMPLES = 256 * 1024;
const LONG_EXAMPLES = 'The documents of this list are too large. The list of failures shows this one.';

/** The routes that list and retry the failed documents of a run. */
export async function runFailureRoutes(app: ServiceApp, { runs, retries }: ServiceParts): Promise<void> {
  const tags = ['run'];

  app.get(
    '/v1/run/:id/failures',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The failed documents of a run, in the order in which they failed',
        description:
          'The first 100,000 failed documents of a run are kept as long as the run, and the newest 1,000,000 of all runs. The message of the run shows how many more there were. A page of large documents is shorter than its limit. Secrets of the config are `******` in messages; documents are unchanged.',
        params: runParams,
        querystring: queryOf({
          ...pageQuery,
          at: Type.Optional(Type.String({ description: 'Only documents that failed at this stage or component' })),
          connector: Type.Optional(Type.String({ description: 'Only documents of this connector' })),
          group: Type.Optional(Type.String({ description: 'Only documents of this group of failures' })),
        }),
        response: answers({ 200: pageOf(Failure) }, 400, 404),
      },
    },
    async ({ params: { id }, query: { limit = DEFAULT_PAGE, after, ...filter } }, reply) => {
      const page = { after: Number(after ?? 0), limit };
      if ((await runs.details(id)) === undefined) throw runNotFound(id);
      const found = await runs.journals.failures(id, page, filter);
      const next = found.more ? String(found.items.at(-1)?.seq) : null;
      const items = found.items.map(({ line }) => line).join(',');
      return sendJson(reply, `{"items":[${items}],"next":${JSON.stringify(next)}}`);
    },
  );

  app.get(
    '/v1/run/:id/failures/groups',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary: 'The failed documents of a run in groups, by reason',
        description:
          'A group has documents with the same `at`, `code` and `status`, and with messages that differ only in values: texts in quotes or brackets, and words with digits. If the examples have more than 256 KiB together, the others have no document.',
        params: runParams,
        querystring: queryOf({
          // Each group reads an example, which may have 1 MiB.
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: DEFAULT_PAGE, description: `Groups; default ${DEFAULT_PAGE}` }),
          ),
          at: Type.Optional(Type.String({ description: 'Only documents that failed at this stage or component' })),
        }),
        response: answers({ 200: FailureGroupsAnswer }, 400, 404),
      },
    },
    async ({ params: { id }, query: { limit = DEFAULT_PAGE, at } }, reply) => {
      if ((await runs.details(id)) === undefined) throw runNotFound(id);
      return sendJson(reply, groupsJson(await runs.journals.failureGroups(id, limit, at)));
    },
  );

  app.post(
    '/v1/run/:id/retry',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Process the failed documents of a run again, in a new run without connectors',
        description: paragraphs(
          'Documents that failed in a stage pass through the pipeline of their connector again. Documents that failed at the indexer are sent unchanged. Warnings among the problems of the new run list the documents that could not be run again.',
          'The answer is 409 while the run or a retry of it is starting or running, and if there is nothing to run again. It is also 409 if the config of the run is not available: it was deleted, a preset has changed, or the run had `config` or `overrides`.',
        ),
        params: runParams,
        headers: repeatHeaders,
        body: Type.Union([RetryBodySchema, Type.Null()]),
        response: answers({ 200: Type.Ref('RunDetails') }, 400, 404, 409, 422, 429, 503),
      },
    },
    async ({ params: { id }, body, headers, user, id: requestId }, reply) => {
      const { configId, group } = body ?? {};
      const repeat = repeatOf(
        headers['idempotency-key'],
        JSON.stringify(['retry', id, configId, ...(group === undefined ? [] : [group])]),
      );
      return sendJson(reply, await retries.start(id, { configId, group }, { requestedBy: user, requestId }, repeat));
    },
  );
}

/** Builds the answer as text, because the failures are already JSON. */
function groupsJson({ items, groups, failures }: FailureGroups): string {
  let left = MAX_EXAMPLES;
  const texts = items.map(({ group, count, replayable, line }) => {
    left -= line.length;
    const example = left >= 0 ? line : withoutDocument(line, LONG_EXAMPLES);
    return `{"group":${JSON.stringify(group)},"count":${count},"replayable":${replayable},"example":${example}}`;
  });
  return `{"items":[${texts.join(',')}],"groups":${groups},"failures":${failures}}`;
}
