import { CONNECTS, type ParameterProblem, Type } from '@headrace/engine';
import { checkServerAccess, type ServerAccess, tlsParameter } from '../http/server-access.ts';
import { withoutEndSlashes } from '../http/without-end-slashes.ts';

/** The parameters with which the blocks `elasticsearch` and `opensearch` say how to connect. */
export const connectionParameters = {
  url: Type.String(CONNECTS),
  index: Type.String(),
  userName: Type.Optional(Type.String()),
  password: Type.Optional(Type.String()),
  apiKey: Type.Optional(Type.String()),
  bearerToken: Type.Optional(Type.String()),
  tls: tlsParameter,
  acceptInvalidCert: Type.Optional(Type.Boolean({ default: false })),
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
