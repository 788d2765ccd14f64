import { Type } from '@headrace/engine';
import { SERVICE_ERROR_CODES } from '../errors/service-error-codes.ts';
import { CheckList, errorJson } from './error-answers.ts';
import { sendJson } from './json.ts';
import { answers, Nothing } from './route-schemas.ts';
import type { ServiceApp } from './route-types.ts';
import type { ServiceParts } from './service-parts.ts';

const Ready = Type.Object({ status: Type.Literal('ready'), checks: CheckList });

/** The routes of the liveness and readiness probes. They need no login, because orchestrators have no password. */
export async function healthRoutes(app: ServiceApp, { readiness }: ServiceParts): Promise<void> {
  const tags = ['health'];
  const config = { access: 'open', anyQuery: true } as const;

  app.get(
    '/v1/livez',
    { config, schema: { tags, summary: 'Check that the process is alive', response: answers({ 200: Nothing }) } },
    (_request, reply) => {
      reply.send();
    },
  );

  app.get(
    '/v1/readyz',
    {
      config,
      schema: {
        tags,
        summary: 'Check that the service can do its work',
        description:
          'Answers 503, with the failing checks, while presets are loading or the service is shutting down; if the store is missing or cannot be written; if its disk is full or cannot be read; and if the event loop is late by a second most of the time. A failing run or a bad config does not affect it.',
        querystring: Type.Object({
          verbose: Type.Optional(Type.Boolean({ description: 'List the checks also if all succeed' })),
        }),
        response: answers(
          {
            200: {
              description: 'Ready; the body is empty without `verbose`',
              content: {
                'application/json': { schema: Ready },
                'text/plain': { schema: Type.String({ maxLength: 0 }) },
              },
            },
          },
          503,
        ),
      },
    },
    (request, reply) => {
      const checks = readiness.checks();
      const failing = checks.filter((check) => !check.ok);
      if (failing.length === 0) {
        if (request.query.verbose === true) sendJson(reply, JSON.stringify({ status: 'ready', checks }));
        else reply.type('text/plain; charset=utf-8').send('');
        return;
      }
      const { status } = SERVICE_ERROR_CODES.HR_NOT_READY;
      const message = failing.map((check) => check.message).join('; ');
      sendJson(reply.code(status), errorJson({ status, code: 'HR_NOT_READY', message, checks }, request.id));
    },
  );
}
