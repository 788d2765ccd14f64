import { type Static, Type } from '@headrace/engine';
import type { FastifyInstance } from 'fastify';
import { sendJson } from './json.ts';
import { answers } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

const UserAnswer = Type.Object({
  user: Type.Union([Type.String(), Type.Null()], { description: 'Null without authentication' }),
  role: Type.Union([Type.Literal('reader'), Type.Literal('operator'), Type.Literal('admin')], {
    description: 'What the sender may do; admin without authentication',
  }),
  secured: Type.Boolean({ description: 'Whether the service has authentication' }),
});

/** The route that returns the sender of the request and its role. Front ends hide what the role may not do. */
export async function userRoutes(app: FastifyInstance, { authenticator }: ServiceParts): Promise<void> {
  app.get(
    '/v1/user',
    {
      config: { access: 'reader' },
      schema: {
        tags: ['user'],
        summary: 'The sender of the request, and its role',
        response: answers({ 200: UserAnswer }, 401),
      },
    },
    async ({ user, role }, reply) => {
      const answer: Static<typeof UserAnswer> = { user, role: role ?? 'admin', secured: authenticator !== undefined };
      return sendJson(reply, JSON.stringify(answer));
    },
  );
}
