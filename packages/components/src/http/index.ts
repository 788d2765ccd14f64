/**
 * The HTTP client of the components, for plugins.
 *
 * @module
 */
export { excerpt } from './excerpt.ts';
export {
  HttpClient,
  type HttpClientOptions,
  type HttpRequest,
  type HttpResponse,
  headerText,
  requireSuccess,
} from './http-client.ts';
export { HttpError } from './http-error.ts';
export { NO_RETRY, type RetryPolicy, readRetryAfter, WRITE_ANSWER_MS } from './retry.ts';
export { addressOf, safeUrl } from './safe-url.ts';
export { authorizationOf, checkServerAccess, tlsOf, tlsParameter } from './server-access.ts';
