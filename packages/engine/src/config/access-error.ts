import { HeadraceError, hintOf, messageOf } from '../errors/headrace-error.ts';

/** The maximum number of causes to read. A chain of causes can be circular. */
const MAX_CAUSES = 8;

const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_)/, 'The host name is unknown: check its spelling and the DNS settings of this machine.'],
  [/^ECONNREFUSED$/, 'No server listens on this host and port: check both, and that the server is running.'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    'Check the host, the port and the firewalls on the way.',
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'Check the port, and whether the server expects TLS (https) or no TLS (http) on it.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    'Configure the CA of the certificate, or check that the certificate is valid for this host.',
  ],
  [/^(EPROTO|ERR_SSL_)/, 'Check whether the server uses TLS on this port: http or https.'],
  [/^ENOENT$/, 'Check the path. A relative path starts from the working directory of the process.'],
  [/^E(ACCES|PERM|ROFS)$/, 'Check the rights of the user that runs the process.'],
];

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'Check the user and the password, or the key.',
  403: 'The server refuses this: check the credentials and their permissions.',
  404: 'The server answers, but the address does not exist: check the path and the names in it.',
};

/** Returns the reason why a server or file cannot be reached, and a hint on what to do. */
export function accessReason(error: unknown): { message: string; hint?: string } {
  // An error for several addresses has no message itself. `localhost` can have two addresses.
  const message =
    error instanceof AggregateError && error.message === '' ? error.errors.map(messageOf).join('; ') : messageOf(error);
  const hint = hintOf(error) ?? accessHint(error);
  return hint === undefined ? { message } : { message, hint };
}

/** The error codes of a server that is down or starting, or of a network that is down. */
const PASSING_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET))$/;
/** The HTTP statuses of a server or gateway that is starting or overloaded. */
const PASSING_STATUSES: readonly unknown[] = [429, 502, 503, 504];

/**
 * Returns true if the server may become available later, because it is down or starting. A refusal, such as a wrong
 * password or an untrusted certificate, is permanent. A Headrace error has the answer in its property `passing`.
 */
export function mayBeThereLater(error: unknown): boolean {
  if (error instanceof HeadraceError) return error.passing;
  return withCauses(error).some((known) => {
    const { code, status } = known as { code?: unknown; status?: unknown };
    return (typeof code === 'string' && PASSING_CODES.test(code)) || PASSING_STATUSES.includes(status);
  });
}

/** Returns a hint for an error of the network or the disk. Returns undefined for an unknown error. */
export function accessHint(error: unknown): string | undefined {
  for (const known of withCauses(error)) {
    const { code, status, statusCode, $metadata } = known as Record<string, unknown>;
    const answered = [
      status,
      statusCode,
      ($metadata as { httpStatusCode?: unknown } | undefined)?.httpStatusCode,
      code,
    ];
    const byStatus = answered.flatMap((number) => BY_STATUS[Number(number)] ?? [])[0];
    const byCode = typeof code === 'string' ? BY_CODE.find(([pattern]) => pattern.test(code))?.[1] : undefined;
    const hint = byCode ?? byStatus;
    if (hint !== undefined) return hint;
  }
  return undefined;
}

/** Returns an error, its causes, and the errors inside it, for example one for each address of a host. */
function withCauses(error: unknown): object[] {
  const found: object[] = [];
  for (const pending = [error]; pending.length > 0 && found.length < MAX_CAUSES; ) {
    const next = pending.shift();
    if (typeof next !== 'object' || next === null) continue;
    found.push(next);
    const { cause, errors } = next as { cause?: unknown; errors?: unknown };
    pending.push(cause, ...(Array.isArray(errors) ? errors : []));
  }
  return found;
}
