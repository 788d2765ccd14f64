import { type PreviewResult, Type, traceJson, writeString } from '@headrace/engine';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { JsonDocument, LogLine, StageFailure } from '../api/preview-answer.ts';
import { configNotFound } from '../configs/config-errors.ts';
import type { ConfigChoice } from '../requests/config-choice.ts';
import { DocumentedPreviewBody } from '../requests/preview-body.ts';
import { requireRole } from './access.ts';
import { sendJson } from './json.ts';
import { acceptRawBodies } from './raw-bodies.ts';
import { answers, problemList, queryOf } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

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

/** What documents become in a pipeline, without an indexer. */
export async function previewRoutes(app: FastifyInstance, parts: ServiceParts): Promise<void> {
  const { configs, reader, previews, maxConfigBytes } = parts;
  acceptRawBodies(app, 'application/json');

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
        body: DocumentedPreviewBody,
        response: answers({ 200: PreviewAnswer }, 400, 403, 404, 413, 415, 422, 429),
      },
    },
    async (request, reply) => {
      const { config, pipeline, documents, limit, trace } = await reader.previewBody(request.body);
      // As for a run: such a config can send what it reads somewhere else.
      if ('text' in config) requireRole(request, 'admin');
      const source = await sourceOf(config, configs);
      const result = await previews.preview(
        {
          root: source.root,
          registry: source.registry,
          trusted: source.trusted,
          trace: request.query.trace ?? trace,
          ...(pipeline === undefined ? {} : { pipeline }),
          ...(documents === undefined ? { limit } : { documents }),
        },
        clientGone(reply),
      );
      return sendJson(reply, previewJson(result));
    },
  );
}

/** Aborted when the connection is closed: the client no longer waits for the answer, or it has been sent. */
function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

async function sourceOf(config: ConfigChoice, configs: ServiceParts['configs']) {
  if ('text' in config) return (await configs.inlineSource(config.text, config.format)).source;
  const { configId } = config;
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
