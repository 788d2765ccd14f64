import { createHash } from 'node:crypto';
import { type CatalogEntry, configSchema, Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { componentAnswer } from './component-answer.ts';
import { sendJson } from './json.ts';
import { answers } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

const KINDS: readonly CatalogEntry['kind'][] = ['stage', 'connector', 'indexer'];

/** The routes that list the components with their parameters. */
export async function configInfoRoutes(app: FastifyInstance, { registry }: ServiceParts): Promise<void> {
  for (const kind of KINDS) {
    let list: string | undefined;
    app.get(
      `/v1/config-info/${kind}-list`,
      {
        config: { access: 'reader' },
        schema: {
          tags: ['config-info'],
          summary: `All ${kind}s with their parameters`,
          response: answers({ 200: Type.Array(Type.Ref('Component')) }),
        },
      },
      async (_request, reply) => {
        // The list does not change while the service runs, so it is serialized once.
        list ??= JSON.stringify(registry.list(kind).map(componentAnswer));
        return sendJson(reply, list);
      },
    );
  }

  let schema: { readonly json: string; readonly etag: string } | undefined;
  app.get(
    '/v1/config-info/schema',
    {
      config: { access: 'reader' },
      schema: {
        tags: ['config-info'],
        summary: 'The JSON Schema (2020-12) of a whole config with every component, for editors',
        headers: Type.Object({
          'if-none-match': Type.Optional(Type.String({ description: 'The ETag of an earlier answer' })),
        }),
        response: { ...answers({ 200: JsonSchemaAnswer }), 304: { description: 'The schema has not changed' } },
      },
    },
    async (request, reply) => {
      schema ??= withEtag(JSON.stringify(configSchema(registry)));
      void reply.headers({ etag: schema.etag, 'cache-control': 'private, no-cache' });
      return request.headers['if-none-match'] === schema.etag ? reply.code(304).send() : sendJson(reply, schema.json);
    },
  );
}

const JsonSchemaAnswer = Type.Record(Type.String(), Type.Unknown(), { description: 'A JSON Schema' });

function withEtag(json: string) {
  return { json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"` };
}
