import type { FastifyInstance } from 'fastify';

/** Passes bodies of these content types to the routes as bytes, and refuses all other content types. */
export function acceptRawBodies(app: FastifyInstance, ...types: readonly string[]): void {
  app.removeAllContentTypeParsers();
  for (const type of types) {
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  }
}
