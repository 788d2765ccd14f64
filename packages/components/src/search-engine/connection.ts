import { CONNECTS, type ParameterProblem, Type } from '@headrace/engine';
import { checkServerAccess, type ServerAccess, tlsParameter } from '../http/server-access.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';

/** The connection parameters of the blocks `elasticsearch` and `opensearch`. */
export const connectionParameters = {
  /**
   * The URL of the server, such as https://localhost:9200. Separate several nodes with commas: if one fails, the next
   * is used. The URL may contain a user and a password, percent-encoded: https://user:password@host:9200.
   */
  url: Type.String(CONNECTS),
  /**
   * The index, alias or data stream. An indexer also accepts placeholders, which select one for each document.
   * QueryOpensearch accepts several names, separated by commas.
   */
  index: Type.String(),
  /** The user, instead of one in the URL; needs password. */
  userName: Type.Optional(Type.String()),
  /** The password. Read it from the environment or from a separate file: see the page on configuration. */
  password: Type.Optional(Type.String()),
  /** An API key in its encoded form, instead of user and password: it is sent as Authorization: ApiKey …. */
  apiKey: Type.Optional(Type.String()),
  /** A token, instead of user and password: it is sent as Authorization: Bearer …. */
  bearerToken: Type.Optional(Type.String()),
  /** The certificates for TLS, as PEM files. */
  tls: tlsParameter,
  /** Whether to accept any certificate of the server, for tests only. */
  acceptInvalidCert: Type.Boolean({ default: false }),
  /** Whether requests and responses are compressed, which helps in slow networks. */
  useCompression: Type.Boolean({ default: false }),
};

/**
 * Returns the base URLs of a cluster, without a slash at the end. The text contains one URL, or several separated by
 * commas. A user and a password stay in the URLs.
 */
export function baseUrls(url: string): string[] {
  // A password may contain a comma.
  return url.split(/,\s*(?=https?:\/\/)/i).map((one) => withoutEndSlashes(one.trim()));
}

/** Reports mistakes in the connection parameters that can be found without the server. */
export function* checkConnection(
  block: string,
  { url, index, ...access }: ServerAccess & { readonly url: string; readonly index: string },
): Generator<ParameterProblem> {
  const parameter = `${block}.url`;
  for (const one of baseUrls(url)) {
    const parsed = URL.parse(one);
    if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
      yield { parameter, message: `${parameter} must be an http or https URL`, hint: 'Use http://localhost:9200.' };
    } else if (/\/\/[^/?#:@]+@/.test(one)) {
      yield {
        parameter,
        message: `${parameter} has a user without a password`,
        hint: 'Write https://user:password@host:9200, special characters percent-encoded.',
      };
    }
  }
  yield* checkServerAccess(`${block}.`, baseUrls(url), access);
  if (index.trim() === '') yield { parameter: `${block}.index`, message: `${block}.index must not be empty` };
}
