import type { FastifyInstance } from 'fastify';

/**
 * Logs a line for each request. It contains only the path of the URL and no headers, because queries and headers may
 * contain secrets.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, { statusCode, elapsedTime }, done) => {
    const { method, url, ip: address, user } = request;
    const path = url.split('?', 1)[0] as string;
    const milliseconds = Math.round(elapsedTime * 10) / 10;
    request.log.info({ method, path, status: statusCode, milliseconds, address, user }, 'Request answered');
    done();
  });
}
