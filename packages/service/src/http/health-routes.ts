import type { FastifyInstance } from 'fastify';
import { SERVICE_ERROR_CODES } from '../errors/service-error-codes.ts';
import { errorJson } from './error-answers.ts';
import { sendJson } from './json.ts';
import { answers, Nothing } from './route-schemas.ts';
import type { ServiceParts } from './service-parts.ts';

/** Whether the process lives, and whether it can do its work. Open to all: orchestrators have no password. */
export async function healthRoutes(app: FastifyInstance, { readiness }: ServiceParts): Promise<void> {
  const tags = ['health'];

  app.get(
    '/v1/livez',
    { config: { access: 'open' }, schema: { tags, summary: 'The process lives', response: answers({ 200: Nothing }) } },
    (_request, reply) => {
      reply.send();
    },
  );

  app.get(
    '/v1/readyz',
    {
      config: { access: 'open' },
      schema: { tags, summary: 'The service can do its work', response: answers({ 200: Nothing }, 503) },
    },
    (_request, reply) => {
      const checks = readiness.checks();
      const failing = checks.filter((check) => !check.ok);
      if (failing.length === 0) {
        reply.send();
        return;
      }
      const { status } = SERVICE_ERROR_CODES.HR_NOT_READY;
      const message = failing.map((check) => check.message).join('; ');
      sendJson(reply.code(status), errorJson({ status, code: 'HR_NOT_READY', message, checks }));
    },
  );
}
