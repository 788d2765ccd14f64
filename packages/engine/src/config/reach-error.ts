import { HeadraceError, messageOf } from '../errors/headrace-error.ts';

/** The maximum depth of a chain of causes. A chain may be a circle. */
const MAX_CAUSES = 8;

const BY_CODE: readonly (readonly [RegExp, string])[] = [
  [/^(ENOTFOUND|EAI_)/, 'The name of the host is not known: check its spelling, and the DNS of this machine.'],
  [/^ECONNREFUSED$/, 'Nothing listens there: check the host and the port, and that the server is up.'],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    'Check the host, the port and the firewalls between.',
  ],
  [
    /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    'Check the port, and whether the server expects TLS (https) there or the contrary.',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/,
    'Name the authority of the certificate, or check that the host is the one it was made for.',
  ],
  [/^(EPROTO|ERR_SSL_)/, 'Check whether the server speaks TLS there: http or https.'],
  [/^ENOENT$/, 'Check the path: it starts from the working directory of the process.'],
  [/^E(ACCES|PERM|ROFS)$/, 'Check the rights of the user that runs the process.'],
];

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'Check the user and the password, or the key.',
  403: 'The credentials are known, but may not do this: check their rights.',
  404: 'The server is there, this is not: check the path and the names in it.',
};

/** The reason why something cannot be reached, and what to do about it. */
export function reachReason(error: unknown): { message: string; hint?: string } {
  // An error for several addresses (`localhost` has two) has no message itself.
  const message =
    error instanceof AggregateError && error.message === '' ? error.errors.map(messageOf).join('; ') : messageOf(error);
  const hint = (error instanceof HeadraceError ? error.hint : undefined) ?? reachHint(error);
  return hint === undefined ? { message } : { message, hint };
}

/** Error codes of a server that is down or starting, or of a network that is down. */
const PASSING_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET))$/;
/** Answers of a server, or of a gateway in front of it, that is starting or overloaded. */
const PASSING_STATUSES: readonly unknown[] = [429, 502, 503, 504];

/**
 * Whether a server that cannot be reached may be available later, because it is down or starting. A refusal (a wrong
 * password, an untrusted certificate) is permanent. A Headrace error has the answer in `passing`.
 */
export function mayBeThereLater(error: unknown): boolean {
  if (error instanceof HeadraceError) return error.passing;
  return withCauses(error).some((known) => {
    const { code, status } = known as { code?: unknown; status?: unknown };
    return (typeof code === 'string' && PASSING_CODES.test(code)) || PASSING_STATUSES.includes(status);
  });
}

/** What to do about an error of the network or the disk; undefined for an unknown error. */
export function reachHint(error: unknown): string | undefined {
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

/** An error, its causes, and the errors that it contains, such as those for each address of a host. */
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
