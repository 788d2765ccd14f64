import type { RouteOptions } from 'fastify';
import { compilers } from '../requests/request-validation.ts';
import { completeDocument, INTRODUCTION, type OpenApiDocument, TAGS } from './openapi-document.ts';
import { SHARED_SCHEMAS } from './route-schemas.ts';

const SCHEMES = { basic: { type: 'http', scheme: 'basic' }, token: { type: 'http', scheme: 'bearer' } } as const;
/** The alternative ways to authenticate: an operation needs one of them. */
const SECURITY: Record<string, string[]>[] = [{ basic: [] }, { token: [] }];

/**
 * Returns the OpenAPI document of the routes as JSON. It is made at the first request, in a separate fastify instance:
 * the plugin must be registered before the routes, and a service without such a request does not load it.
 */
export async function openapiJson(routes: readonly RouteOptions[], secured: boolean): Promise<string> {
  const [{ fastify }, { fastifySwagger }] = await Promise.all([import('fastify'), import('@fastify/swagger')]);
  const app = fastify({ schemaController: { compilersFactory: compilers } });
  try {
    await app.register(fastifySwagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Headrace',
          version: '1',
          description: INTRODUCTION,
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as object as { name: string },
        },
        servers: [{ url: '/' }],
        tags: [...TAGS],
        ...(secured ? { components: { securitySchemes: SCHEMES } } : {}),
      },
      refResolver: { buildLocalReference: (schema) => String(schema.$id) },
    });
    for (const schema of SHARED_SCHEMAS) app.addSchema(schema);
    for (const { method, url, schema, config } of routes) {
      const role = config?.access ?? 'admin';
      const security = secured && role !== 'open' ? { security: SECURITY } : {};
      const documented = { ...schema, ...security, 'x-role': role };
      app.route({ method, url, schema: documented, handler: () => undefined });
    }
    await app.ready();
    const document = app.swagger();
    completeDocument(document as object as OpenApiDocument);
    return JSON.stringify(document);
  } finally {
    await app.close();
  }
}
