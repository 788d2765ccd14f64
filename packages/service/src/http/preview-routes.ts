import { type JsonObject, type PreviewResult, Type, traceJson, writeString, writeValue } from '@headrace/engine';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { configNotFound } from '../configs/configs.ts';
import { inlineConfig } from '../configs/inline-config.ts';
import { Refusal } from '../errors/refusal.ts';
import { readExactBody } from './exact-body.ts';
import { sendJson } from './json.ts';
import { JsonDocument, LogLine, StageFailure } from './preview-answer.ts';
import { bodyCheck } from './request-validation.ts';
import { answers, problemList, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

const MAX_DOCUMENTS = 1000;
const DEFAULT_LIMIT = 10;

const PreviewBody = Type.Object({
  config: Type.Optional(
    Type.Union([JsonDocument, Type.String()], { description: 'A config, as an object or as a text of HOCON' }),
  ),
  configId: Type.Optional(Type.String({ description: 'Instead of `config`' })),
  pipeline: Type.Optional(Type.String({ description: 'The first one when absent' })),
  documents: Type.Optional(Type.Array(JsonDocument, { maxItems: MAX_DOCUMENTS })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DOCUMENTS,
      description: `Without documents: how many of those that the connectors give; ${DEFAULT_LIMIT}`,
    }),
  ),
  trace: Type.Optional(
    Type.Boolean({ description: 'Show each document after each stage; also a parameter of the query' }),
  ),
});

const PreviewAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      input: Type.Union([JsonDocument, Type.String()], { description: 'A text where it was no document' }),
      documents: Type.Array(JsonDocument),
      dropped: Type.Array(Type.String()),
      failure: Type.Optional(Type.Object({ stage: Type.String(), ...StageFailure.properties })),
      trace: Type.Optional(Type.Array(Type.Ref('StageTrace'))),
      log: Type.Optional(Type.Array(LogLine, { description: 'What the stages said meanwhile' })),
    }),
  ),
  problems: problemList,
});

const checkBody = bodyCheck(PreviewBody);

/** What documents become in a pipeline, without an indexer. */
export async function previewRoutes(app: FastifyInstance, parts: ServiceParts): Promise<void> {
  const { configs, previews, maxConfigBytes } = parts;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.post<{ Body: Buffer | undefined; Querystring: { trace?: boolean } }>(
    '/v1/preview',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'operator', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags: ['preview'],
        summary: 'What documents become in a pipeline; nothing is indexed',
        querystring: queryOf({
          trace: Type.Optional(Type.Boolean({ description: 'Show each document after each stage' })),
        }),
        body: PreviewBody,
        response: answers({ 200: PreviewAnswer }, 400, 404, 413, 415, 422, 429),
      },
    },
    async (request, reply) => {
      const body = readExactBody(request.body, checkBody);
      const source = await sourceOf(request.body, body, configs);
      const pipeline = body.get('pipeline') as string | undefined;
      const documents = body.get('documents') as JsonObject[] | undefined;
      const limit = (body.get('limit') as number | undefined) ?? DEFAULT_LIMIT;
      const trace = request.query.trace ?? body.get('trace') === true;
      const result = await previews.preview(
        {
          root: source.root,
          registry: source.registry,
          trusted: source.trusted,
          trace,
          ...(pipeline === undefined ? {} : { pipeline }),
          ...(documents === undefined ? { limit } : { documents: documents.map(writeValue) }),
        },
        clientGone(reply),
      );
      return sendJson(reply, previewJson(result));
    },
  );
}

/** Aborted when the connection is closed: nobody waits for the answer any more, or it has gone out. */
function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

async function sourceOf(bytes: Buffer | undefined, body: JsonObject, configs: ServiceParts['configs']) {
  const config = body.get('config');
  const configId = body.get('configId') as string | undefined;
  if ((config === undefined) === (configId === undefined)) {
    throw new Refusal('HR_REQUEST_INVALID', 'The body needs either config or configId');
  }
  if (configId === undefined) {
    const { text, format } = inlineConfig(bytes, config);
    return (await configs.ownSource(text, format)).source;
  }
  const source = await configs.source(configId);
  if (source === undefined) throw configNotFound(configId);
  return source;
}

/** The documents are JSON already. */
function previewJson({ results, problems }: PreviewResult): string {
  const items = results.map(({ input, documents, dropped, failure, trace, log }) => {
    const why = failure === undefined ? '' : `,"failure":${JSON.stringify(failure)}`;
    const how = trace === undefined ? '' : `,"trace":${traceJson(trace)}`;
    const said = log === undefined ? '' : `,"log":${JSON.stringify(log)}`;
    return `{"input":${input},"documents":[${documents.join(',')}],"dropped":[${dropped.map(writeString).join(',')}]${why}${how}${said}}`;
  });
  return `{"results":[${items.join(',')}],"problems":${JSON.stringify(problems)}}`;
}
