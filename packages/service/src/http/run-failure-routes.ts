import { Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { repeatOf } from '../runs/repeated-requests.ts';
import { runNotFound } from '../runs/run-manager.ts';
import type { RetryBody } from '../runs/run-retries.ts';
import { sendJson } from './json.ts';
import { type RepeatHeaders, repeatHeaders } from './repeat-headers.ts';
import { answers, DEFAULT_PAGE, idParams, pageOf, pageQuery, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

const Failure = Type.Object(
  {
    id: Type.String({ description: 'The id of the document, or the position of a record that could not be read' }),
    connector: Type.String(),
    pipeline: Type.Optional(Type.String()),
    at: Type.String({ description: 'The stage on which it failed, `indexer`, `connector` or `pipeline`' }),
    code: Type.String(),
    message: Type.String(),
    hint: Type.Optional(Type.String()),
    status: Type.Optional(Type.Integer({ description: 'The HTTP status from the search engine for this document' })),
    processed: Type.Boolean({ description: 'Whether `document` is the text that was sent to the indexer' }),
    document: Type.Optional(
      Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
        description: 'The document from the connector. If `processed` is true: the text for the indexer',
      }),
    ),
    binaryFields: Type.Optional(
      Type.Array(Type.String(), { description: 'The fields whose texts are bytes in base64' }),
    ),
    encoding: Type.Optional(Type.String({ description: 'The encoding of a processed document' })),
    omitted: Type.Optional(Type.String({ description: 'Why `document` is absent' })),
  },
  { description: 'Failures as lines of a file are the input of `headrace run --retry`' },
);

const RetryBodySchema = Type.Object(
  {
    configId: Type.Optional(
      Type.String({
        pattern: '\\S',
        description: 'The config for the retry, in its current version. Default: the version of the run',
      }),
    ),
  },
  { additionalProperties: false },
);

interface FailureQuery {
  limit?: number;
  after?: string;
  at?: string;
  connector?: string;
}

/** The routes that list and retry the failed documents of a run. */
export async function runFailureRoutes(app: FastifyInstance, { runs, retries }: ServiceParts): Promise<void> {
  const tags = ['run'];

  app.get<{ Params: { id: string }; Querystring: FailureQuery }>(
    '/v1/run/:id/failures',
    {
      config: { access: 'reader' },
      schema: {
        tags,
        summary:
          'The failed documents of a run, in the order in which they failed; pages of large documents are shorter',
        params: idParams,
        querystring: queryOf({
          ...pageQuery,
          at: Type.Optional(Type.String({ description: 'Only documents that failed at this stage or component' })),
          connector: Type.Optional(Type.String({ description: 'Only documents of this connector' })),
        }),
        response: answers({ 200: pageOf(Failure) }, 400, 404),
      },
    },
    async ({ params: { id }, query: { limit = DEFAULT_PAGE, after, at, connector } }, reply) => {
      const page = { after: Number(after ?? 0), limit };
      if ((await runs.details(id)) === undefined) throw runNotFound(id);
      const found = await runs.journals.failures(id, page, { at, connector });
      const next = found.more ? String(found.items.at(-1)?.seq) : null;
      const items = found.items.map(({ line }) => line).join(',');
      return sendJson(reply, `{"items":[${items}],"next":${JSON.stringify(next)}}`);
    },
  );

  app.post<{ Params: { id: string }; Body: RetryBody | undefined; Headers: RepeatHeaders }>(
    '/v1/run/:id/retry',
    {
      config: { access: 'operator' },
      schema: {
        tags,
        summary: 'Process the failed documents of a run again, in a new run without connectors',
        params: idParams,
        headers: repeatHeaders,
        body: Type.Union([RetryBodySchema, Type.Null()]),
        response: answers({ 200: Type.Ref('RunDetails') }, 400, 404, 409, 422, 429, 503),
      },
    },
    async ({ params: { id }, body, headers, user, id: requestId }, reply) => {
      const configId = body?.configId;
      const repeat = repeatOf(headers['idempotency-key'], JSON.stringify(['retry', id, configId]));
      return sendJson(reply, await retries.start(id, { configId }, { requestedBy: user, requestId }, repeat));
    },
  );
}
