import { CONNECTS, type ParameterProblem, Type } from '@headrace/engine';
import { checkServerAccess, type ServerAccess, tlsParameter } from '../http/server-access.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';

/** The parameters with which the blocks `elasticsearch` and `opensearch` say how to connect. */
export const connectionParameters = {
  /**
   * Where the server is, such as https://localhost:9200. Separate several nodes with commas: if one fails, the next is
   * used. The URL may contain a user and a password, percent-encoded: https://user:password@host:9200.
   */
  url: Type.String(CONNECTS),
  /**
   * The index or alias. An indexer also accepts a data stream, or placeholders, which select an index for each
   * document. QueryOpensearch accepts several names, separated by commas.
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
  /** Certificates, in PEM files. */
  tls: tlsParameter,
  /** Whether every certificate of the server is accepted, for tests. Defaults to false. */
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
  /** Whether requests and answers are compressed, which helps on slow networks. Defaults to false. */
  useCompression: Type.Optional(Type.Boolean({ default: false })),
};

/**
 * The base URLs of a cluster, without a slash at their end: one, or several with commas between them. A user and a password
 * stay in them.
 */
export function baseUrls(url: string): string[] {
  // A password may hold a comma.
  return url.split(/,\s*(?=https?:\/\/)/i).map((one) => withoutEndSlashes(one.trim()));
}

/** Mistakes of a connection that need no server to be found. */
export function* checkConnection(
  block: string,
  { url, index, ...access }: ServerAccess & { readonly url: string; readonly index: string },
): Generator<ParameterProblem> {
  const parameter = `${block}.url`;
  for (const one of baseUrls(url)) {
    const parsed = URL.parse(one);
    if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
      yield { parameter, message: `${parameter} must be a URL of http or https`, hint: 'As http://localhost:9200.' };
    } else if (/\/\/[^/?#:@]+@/.test(one)) {
      yield {
        parameter,
        message: `${parameter} names a user without a password`,
        hint: 'Write https://user:password@host:9200, special characters percent-encoded.',
      };
    }
  }
  yield* checkServerAccess(`${block}.`, baseUrls(url), access);
  if (index.trim() === '') yield { parameter: `${block}.index`, message: `${block}.index must not be empty` };
}
