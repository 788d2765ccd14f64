import { type PreviewResult, Type, traceJson, writeString } from '@headrace/engine';
import type { FastifyReply } from 'fastify';
import { JsonDocument, LogLine, StageFailure } from '../api/preview-answer.ts';
import { configNotFound } from '../configs/config-errors.ts';
import type { ConfigChoice } from '../requests/config-choice.ts';
import { DocumentedPreviewBody } from '../requests/preview-body.ts';
import { requireRole } from './access.ts';
import { sendJson } from './json.ts';
import { acceptRawBodies } from './raw-bodies.ts';
import { answers, paragraphs, problemList, queryOf } from './route-schemas.ts';
import { ownBody, type ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const PreviewAnswer = Type.Object({
  results: Type.Array(
    Type.Object({
      input: Type.Union([JsonDocument, Type.String()], { description: 'A text if the input was not a document' }),
      documents: Type.Array(JsonDocument, { description: 'The document and its children after the last stage' }),
      dropped: Type.Array(Type.String(), { description: 'The ids of the documents that a stage dropped' }),
      failure: Type.Optional(Type.Object({ stage: Type.String(), ...StageFailure.properties })),
      trace: Type.Optional(Type.Array(Type.Ref('StageTrace'))),
      log: Type.Optional(
        Type.Array(LogLine, {
          description:
            'The messages of the stages (warnings, and what scripts print), at most 100 for each document; secrets are masked',
        }),
      ),
    }),
  ),
  problems: problemList,
  notices: Type.Array(Type.Ref('Notice'), { description: 'What components did to the data of the shown documents' }),
});

/** The route that runs documents through a pipeline without an indexer. */
export async function previewRoutes(app: ServiceApp, parts: ServiceParts): Promise<void> {
  const { configs, reader, previews, maxConfigBytes } = parts;
  acceptRawBodies(app, 'application/json');

  app.post(
    '/v1/preview',
    {
      bodyLimit: maxConfigBytes,
      config: { access: 'operator', bodyLimitSetting: 'limits.maxConfigBytes' },
      schema: {
        tags: ['preview'],
        summary: 'Run documents through a pipeline, without indexing them',
        description: paragraphs(
          'Limits: 30 seconds per preview, 10 seconds of computation per document, 4 simultaneous previews. A preview ends when the client closes the connection. A body that is not strict JSON is read as HOCON, as in `POST /v1/run`.',
          'Nothing is indexed, moved or remembered, `Print` writes no file, and `preSQL`, `postSQL` and the actions of Solr do not run. Scripts and queries of stages do run.',
          'In failures and problems, the secrets of the config are `******`. Documents are shown unchanged, so secrets of a preset that a stage writes to them are visible.',
        ),
        querystring: queryOf({
          trace: Type.Optional(Type.Boolean({ description: 'Show each document after each stage' })),
        }),
        body: ownBody<Buffer>(DocumentedPreviewBody),
        response: answers({ 200: PreviewAnswer }, 400, 403, 404, 413, 415, 422, 429),
      },
    },
    async (request, reply) => {
      const { config, secretsOf, pipeline, documents, limit, trace } = await reader.previewBody(request.body);
      // A preview needs the same role as a run: its config could send the data that it reads to another server.
      if ('text' in config) requireRole(request, 'admin');
      const source = await sourceOf(config, secretsOf, configs);
      const result = await previews.preview(
        {
          root: source.root,
          registry: source.registry,
          trusted: source.trusted,
          ...(request.user === null ? {} : { user: request.user }),
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

/** Returns a signal that aborts when the connection is closed: the client no longer waits, or has the answer. */
function clientGone({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  raw.once('close', () => gone.abort());
  return gone.signal;
}

async function sourceOf(config: ConfigChoice, secretsOf: string | undefined, configs: ServiceParts['configs']) {
  if ('text' in config) {
    return secretsOf === undefined
      ? (await configs.inlineSource(config.text, config.format)).source
      : configs.editedSource(secretsOf, config.text, config.format);
  }
  const { configId } = config;
  const source = await configs.source(configId);
  if (source === undefined) throw configNotFound(configId);
  return source;
}

/** Builds the answer as text, because the documents are already JSON. */
function previewJson({ results, problems, notices }: PreviewResult): string {
  const items = results.map(({ input, documents, dropped, failure, trace, log }) => {
    const why = failure === undefined ? '' : `,"failure":${JSON.stringify(failure)}`;
    const how = trace === undefined ? '' : `,"trace":${traceJson(trace)}`;
    const said = log === undefined ? '' : `,"log":${JSON.stringify(log)}`;
    return `{"input":${input},"documents":[${documents.join(',')}],"dropped":[${dropped.map(writeString).join(',')}]${why}${how}${said}}`;
  });
  return `{"results":[${items.join(',')}],"problems":${JSON.stringify(problems)},"notices":${JSON.stringify(notices)}}`;
}
