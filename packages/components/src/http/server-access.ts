import { validateHeaderValue } from 'node:http';
import type { ParameterProblem } from '@headrace/engine';
import { basicAuthorization } from './credentials.ts';
import { checkTrust, type Trust, tlsOf, tlsParameter } from './tls/tls-parameter.ts';

export { tlsOf, tlsParameter };

/** The credentials for a server, of one kind, and the TLS settings. */
export interface ServerAccess extends Trust {
  readonly userName?: string | undefined;
  readonly password?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly bearerToken?: string | undefined;
}

/** Returns the `Authorization` header for the credentials; undefined if there are none. */
export function authorizationOf({ userName, password, apiKey, bearerToken }: ServerAccess): string | undefined {
  // A secret that was read from a file has a line end.
  if (apiKey !== undefined) return `ApiKey ${apiKey.trim()}`;
  if (bearerToken !== undefined) return `Bearer ${bearerToken.trim()}`;
  return userName === undefined || password === undefined ? undefined : basicAuthorization(userName, password);
}

/**
 * Reports mistakes in credentials and TLS settings that can be found without the server.
 * @param prefix the prefix of the parameters, with its dot
 */
export function* checkServerAccess(
  prefix: string,
  urls: readonly string[],
  access: ServerAccess,
): Generator<ParameterProblem> {
  const parsed = urls.flatMap((url) => URL.parse(url) ?? []);
  yield* checkLogin(prefix, parsed, access);
  yield* checkTrust(prefix, parsed, access);
}

function* checkLogin(prefix: string, urls: readonly URL[], access: ServerAccess): Generator<ParameterProblem> {
  const { userName, password, apiKey, bearerToken } = access;
  if ((userName === undefined) !== (password === undefined)) {
    const [given, missing] = userName === undefined ? ['password', 'userName'] : ['userName', 'password'];
    yield {
      parameter: prefix + given,
      message: `${given} has no effect without ${missing}`,
      hint: `Set ${missing} too.`,
      severity: 'warning',
    };
  }
  for (const name of ['apiKey', 'bearerToken'] as const) {
    const value = access[name]?.trim();
    if (value === undefined || isHeaderText(value)) continue;
    const reason = value === '' ? 'is empty' : 'has characters that a header cannot contain';
    yield { parameter: prefix + name, message: `${name} ${reason}` };
  }
  const ways = [
    urls.some((url) => url.username !== '') ? 'url' : [],
    userName !== undefined && password !== undefined ? 'userName' : [],
    apiKey !== undefined ? 'apiKey' : [],
    bearerToken !== undefined ? 'bearerToken' : [],
  ].flat();
  const [first, second] = ways;
  if (first === undefined || second === undefined) return;
  yield {
    parameter: prefix + second,
    message: `Credentials are given twice, by ${first} and by ${second}`,
    hint: 'Remove one of them.',
  };
}

function isHeaderText(value: string): boolean {
  try {
    validateHeaderValue('authorization', value);
    return value !== '';
  } catch {
    // The error contains only the value, which is a secret.
    return false;
  }
}
