import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Type } from '@headrace/engine';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { sendJson } from './json.ts';
import { openapiJson } from './openapi.ts';
import { answers } from './route-schemas.ts';
import { protectPages } from './security-headers.ts';

/** The files that the page of the API browser loads, with their content types. */
const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'index.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Headrace API</title>
    <link rel="stylesheet" href="/swagger/swagger-ui.css">
    <link rel="stylesheet" href="/swagger/index.css">
    <link rel="icon" type="image/png" href="/swagger/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/swagger/swagger-ui-bundle.js"></script>
    <script src="/swagger/swagger-ui-standalone-preset.js"></script>
    <script src="/swagger/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'BaseLayout',
});
`;

/**
 * Serves the OpenAPI document, and a browser for it. The files of the browser come from an installed package, so it
 * works without internet. Both need no login; the data that they describe does.
 * @param routes the routes for the document
 */
export async function docsRoutes(
  app: FastifyInstance,
  { routes, secured }: { routes: readonly RouteOptions[]; secured: boolean },
): Promise<void> {
  const config = { access: 'open', anyQuery: true } as const;
  protectPages(app);
  let document: Promise<string> | undefined;

  app.get(
    '/openapi.json',
    {
      config,
      schema: {
        tags: ['docs'],
        summary: 'This document',
        response: answers({ 200: Type.Record(Type.String(), Type.Unknown()) }),
      },
    },
    async (_request, reply) => {
      document ??= openapiJson(routes, secured);
      return sendJson(reply, await document);
    },
  );

  const schema = { hide: true };
  app.get('/swagger', { config, schema }, async (_request, reply) =>
    reply.header('content-type', 'text/html; charset=utf-8').send(PAGE),
  );
  app.get('/swagger/start.js', { config, schema }, async (_request, reply) =>
    reply.header('content-type', 'text/javascript; charset=utf-8').send(START),
  );
  app.get<{ Params: { file: string } }>('/swagger/:file', { config, schema }, async ({ params: { file } }, reply) => {
    const type = Object.hasOwn(ASSETS, file) ? ASSETS[file] : undefined;
    if (type === undefined) throw new ApiError('HR_NOT_FOUND', `The file ${file} does not exist`);
    const path = join(assetDirectory(), file);
    return reply.headers({ 'content-type': type, 'cache-control': 'max-age=3600' }).send(createReadStream(path));
  });
}

function assetDirectory(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static');
}
