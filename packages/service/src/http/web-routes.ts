import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.ts';
import { noEndpoint } from './unknown-routes.ts';
import { WEB_DIRECTORY, webAssets } from './web-files.ts';

/**
 * The addresses of the pages: every path outside the API that no other route has. The application in the browser
 * finds out which page an address shows, or that it shows none.
 */
const PAGES = ['/', '/:page(^(?!v1$).+$)', '/:page(^(?!v1$).+$)/*'];

/** A year. The name of an asset contains a hash of its content. */
const ASSET_CACHE = 'public, max-age=31536000, immutable';

/** The placeholder in `index.html` for the nonce of the styles that the editor creates. */
const NONCE = '__CSP_NONCE__';

/**
 * Serves the web application. It needs no login, because it contains no data: the data comes from the API, with the
 * credentials that the user enters.
 */
export async function webRoutes(app: FastifyInstance): Promise<void> {
  const config = { access: 'open', anyQuery: true } as const;
  const schema = { hide: true };
  const indexPath = join(WEB_DIRECTORY, 'index.html');
  const index = existsSync(indexPath) ? readFileSync(indexPath, 'utf8') : undefined;
  const assets = webAssets();

  const sendPage = (reply: FastifyReply) => {
    if (index === undefined) {
      throw new ApiError('HR_NOT_FOUND', 'The web application is not part of this build', {
        hint: 'Run: npm run build. The API works without it: /swagger shows it.',
      });
    }
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers({ ...PAGE_HEADERS, 'content-security-policy': contentSecurityPolicy(nonce) })
      .header('content-type', 'text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(index.replaceAll(NONCE, nonce));
  };
  for (const url of PAGES) {
    app.get(url, { config: { ...config, pages: true }, schema }, async (request, reply) => {
      if (url !== '/' && !opensPage(request)) throw noEndpoint(request);
      return sendPage(reply);
    });
  }

  app.get<{ Params: { file: string } }>('/assets/:file', { config, schema }, async (request, reply) => {
    const { file } = request.params;
    const asset = assets.get(file);
    if (asset === undefined) throw new ApiError('HR_NOT_FOUND', `The file ${file} does not exist`);
    const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') ? asset.gzipPath : undefined;
    if (zipped !== undefined) reply.header('content-encoding', 'gzip');
    return reply
      .headers({ 'content-type': asset.type, 'cache-control': ASSET_CACHE, vary: 'accept-encoding' })
      .send(createReadStream(zipped ?? asset.path));
  });
}

/** Returns whether a browser asks for a page. Programs, and the files of a page, get an error for an unknown path. */
function opensPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/.test(headers.accept ?? '');
}

const PAGE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** Returns a policy without inline code. Styles need the nonce: the editor creates style elements. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
