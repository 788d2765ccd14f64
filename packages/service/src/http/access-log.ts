import type { FastifyInstance } from 'fastify';

/**
 * Gives each request a line in the log. Of the URL the path alone, of the headers none: both may carry what nobody is
 * to read.
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
