import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/**
 * Answers requests that no route takes: 405 with the methods there are when the path is known, 404 otherwise. To be
 * called before the routes are made, and after the guard that says who may learn what there is.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.getOrInsertComputed(url, () => new Set());
    for (const name of [method].flat()) known.add(name);
  });
  const refuse = ({ method, url }: FastifyRequest): never => {
    const path = url.split('?', 1)[0] as string;
    const known = methods.get(withoutSlash(path)) ?? [...methods].find(([pattern]) => matches(pattern, path))?.[1];
    if (known !== undefined) {
      const allow = [...known].sort().join(', ');
      throw new ApiError('HR_METHOD_NOT_ALLOWED', `${method} is not possible on ${path}`, {
        hint: `Possible: ${allow}.`,
        headers: { allow },
      });
    }
    throw new ApiError('HR_NOT_FOUND', `There is no endpoint ${path}`, {
      hint: 'GET /openapi.json lists the endpoints, /swagger shows them.',
    });
  };
  // Before the body is read: what is wrong with that does not matter.
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuse(request);
  });
  app.setNotFoundHandler(refuse);
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/$/, '');
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = withoutSlash(path).split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  );
}
