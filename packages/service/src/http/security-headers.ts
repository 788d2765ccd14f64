import type { FastifyInstance } from 'fastify';

/**
 * Headers that restrict browsers, as Helmet sets them. Its plugin makes them again for every request, which costs more
 * than the answer. The API browser works with them, also over plain HTTP: nothing is upgraded to HTTPS, and the
 * operator decides whether browsers must use HTTPS.
 */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; " +
    "base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** What is no page is not to be shown as one, nor in a frame of another, nor taken for something else than it says it is. */
export const ANSWER_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Sets the headers of pages on the routes that are made after this. */
export function protectPages(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(PAGE_HEADERS);
    done();
  });
}

/** Sets the headers of every answer; on pages their own replace them. */
export function protectAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANSWER_HEADERS);
    done();
  });
}
