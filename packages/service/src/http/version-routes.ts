import { type Static, Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { buildInfo } from './build-info.ts';
import { sendJson } from './json.ts';
import { answers } from './route-schemas.ts';

const VersionAnswer = Type.Object({
  version: Type.String({ description: 'The version of Headrace', examples: ['0.1.0'] }),
  apiVersion: Type.Literal('v1', { description: 'The version of the endpoints, as in their paths' }),
  node: Type.String({ examples: ['26.10.0'] }),
  commit: Type.Optional(Type.String({ description: 'The commit of the build, if the build provides it' })),
  buildTime: Type.Optional(Type.String()),
});

/** The route that returns the running version. */
export async function versionRoutes(app: FastifyInstance): Promise<void> {
  const answer: Static<typeof VersionAnswer> = { ...buildInfo, apiVersion: 'v1', node: process.versions.node };
  const json = JSON.stringify(answer);
  app.get(
    '/v1/version',
    {
      config: { access: 'reader', anyQuery: true },
      schema: { tags: ['health'], summary: 'The running version', response: answers({ 200: VersionAnswer }) },
    },
    async (_request, reply) => sendJson(reply, json),
  );
}
