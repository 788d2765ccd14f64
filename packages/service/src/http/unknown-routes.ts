import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../errors/refusal.ts';

/**
 * Answers requests that no route takes: 405 with the methods there are when the path is known, 404 otherwise. To be
 * called before the routes are made.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.getOrInsertComputed(url, () => new Set());
    for (const name of [method].flat()) known.add(name);
  });
  app.setNotFoundHandler((request: FastifyRequest, _reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] as string;
    for (const [pattern, known] of methods) {
      if (!matches(pattern, path)) continue;
      const allow = [...known].sort().join(', ');
      throw new Refusal('HR_METHOD_NOT_ALLOWED', `${request.method} is not possible on ${path}`, {
        hint: `Possible: ${allow}.`,
        headers: { allow },
      });
    }
    throw new Refusal('HR_NOT_FOUND', `There is no endpoint ${path}`, {
      hint: 'GET /openapi.json lists the endpoints, /swagger shows them.',
    });
  });
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.replace(/(?<=.)\/$/, '').split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  );
}
