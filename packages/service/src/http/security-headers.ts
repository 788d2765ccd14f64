import type { FastifyInstance } from 'fastify';

/**
 * The headers that restrict browsers, with the values of Helmet. The Helmet plugin computes them for every request,
 * which costs more than the answer. The API browser works with them, also over plain HTTP: they do not upgrade requests
 * to HTTPS, because the operator decides whether browsers must use HTTPS.
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

/**
 * The headers of answers that are not pages. Browsers must not show them as a page or in a frame, or guess their
 * content type. Nothing may store them, because they contain configs and documents. A route whose answers have an ETag
 * replaces this with `private, no-cache`.
 */
export const ANSWER_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** Sets the page headers on all routes that are registered after this call. */
export function protectPages(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(PAGE_HEADERS);
    done();
  });
}

/** Sets the headers of every answer. Pages replace them with their headers. */
export function protectAnswers(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(ANSWER_HEADERS);
    done();
  });
}
