import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';

/**
 * Answers requests that match no route: 405 with the supported methods if the path exists, otherwise 404. Call this
 * before the routes are registered, and after `guardRoutes`, which decides who may get these answers.
 */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    // The pages of the web application have any path. They do not make a path known.
    if (url.startsWith('/:')) return;
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
    throw noEndpoint({ url });
  };
  // Answer before the body is read, because the body does not matter here.
  app.addHook('onRequest', async (request) => {
    if (request.is404) refuse(request);
  });
  app.setNotFoundHandler(refuse);
}

/** Returns the error for a path that does not exist. */
export function noEndpoint({ url }: Pick<FastifyRequest, 'url'>): ApiError {
  return new ApiError('HR_NOT_FOUND', `There is no endpoint ${url.split('?', 1)[0]}`, {
    hint: 'GET /openapi.json lists the endpoints, /swagger shows them.',
  });
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
