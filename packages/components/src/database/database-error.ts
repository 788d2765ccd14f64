import { HeadraceError, messageOf } from '@headrace/engine';

/**
 * What went wrong, as far as it decides what to do: `refused` and `statement` would fail again, `unreachable` and
 * `busy` may pass, `lost` means that a connection that worked is gone.
 */
export type DatabaseTrouble = 'refused' | 'unreachable' | 'busy' | 'lost' | 'timeout' | 'statement';

/** A failure of a database. The message names the database and never holds a password; there is no cause that could. */
export class DatabaseError extends HeadraceError {
  readonly trouble: DatabaseTrouble;
  /** What the server or the driver calls it: of Postgres an SQLSTATE. Empty when it has no name. */
  readonly driverCode: string;

  constructor(trouble: DatabaseTrouble, message: string, hint: string | undefined, driverCode = '') {
    const passing = trouble !== 'refused' && trouble !== 'statement';
    super('HR_SOURCE_UNREADABLE', message, { passing, ...(hint === undefined ? {} : { hint }) });
    this.trouble = trouble;
    this.driverCode = driverCode;
  }
}

/** What is known of an error of a driver. */
export interface ErrorVerdict {
  readonly trouble: DatabaseTrouble;
  readonly hint?: string;
}

/** Shorter ones are too common in texts to be taken for the secret. */
const MIN_SECRET = 4;

/** Makes the errors of one database. */
export class DatabaseErrors {
  readonly #database: string;
  readonly #secrets: readonly string[];
  readonly #judge: (error: unknown) => ErrorVerdict;

  /**
   * @param database the name for messages
   * @param secrets texts that must not be told
   * @param judge knows the codes of the driver
   */
  constructor(database: string, secrets: readonly string[], judge: (error: unknown) => ErrorVerdict) {
    this.#database = database;
    this.#secrets = secrets.filter((secret) => secret.length >= MIN_SECRET);
    this.#judge = judge;
  }

  /** The error to throw for what a driver threw. `where` goes behind the reason: `after 17 rows`. */
  wrap(error: unknown, where = ''): DatabaseError {
    if (error instanceof DatabaseError && where === '') return error;
    const isWrapped = error instanceof DatabaseError;
    const { trouble, hint } = isWrapped ? error : this.#judge(error);
    const driverCode = isWrapped ? error.driverCode : codeOf(error);
    const prefix = `${this.#database}: `;
    let reason = reasonOf(error);
    if (reason.startsWith(prefix)) reason = reason.slice(prefix.length);
    for (const secret of this.#secrets) reason = reason.replaceAll(secret, '******');
    return new DatabaseError(trouble, `${prefix}${reason}${where === '' ? '' : ` (${where})`}`, hint, driverCode);
  }
}

/** An error of several addresses (`localhost` has two) says nothing itself. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}

/** The code that Node gives an error of the network, or a driver its own. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
}

/** What errors of the network and of TLS mean, whatever the database; undefined for others. */
export function judgeNetwork(error: unknown): ErrorVerdict | undefined {
  switch (codeOf(error)) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return { trouble: 'unreachable', hint: 'Check the host in connectionString: its name cannot be resolved.' };
    case 'ECONNREFUSED':
      return { trouble: 'unreachable', hint: 'Check host and port in connectionString, and that the server is up.' };
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return { trouble: 'unreachable', hint: 'Check host and port in connectionString, and the firewalls between.' };
    case 'ECONNRESET':
    case 'EPIPE':
      return { trouble: 'lost', hint: LOST_HINT };
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'CERT_HAS_EXPIRED':
      return {
        trouble: 'refused',
        hint: "The server's certificate is not trusted: name its authority in the URL, or see the page of DatabaseConnector for how to accept it.",
      };
    default:
      return undefined;
  }
}

export const LOST_HINT =
  'The server ended the connection: see its log. The next run reads the table from its beginning.';
