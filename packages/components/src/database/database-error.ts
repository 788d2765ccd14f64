import { HeadraceError, messageOf } from '@headrace/engine';
import { RowTooLarge } from './row-limit.ts';

/**
 * The kinds of failures, by their remedy. `refused` and `statement` would fail again. `unreachable` and `busy` may be
 * temporary. `lost` means that an open connection was closed.
 */
export type DatabaseTrouble = 'refused' | 'unreachable' | 'busy' | 'lost' | 'timeout' | 'statement';

/**
 * A failure of a database. The message names the database and never contains a password. The error has no `cause`,
 * which could contain one.
 */
export class DatabaseError extends HeadraceError {
  readonly trouble: DatabaseTrouble;
  /** The code of the server or the driver, such as an SQLSTATE of Postgres. Empty if there is none. */
  readonly driverCode: string;

  constructor(trouble: DatabaseTrouble, message: string, hint: string | undefined, driverCode = '') {
    const passing = trouble !== 'refused' && trouble !== 'statement';
    super('HR_SOURCE_UNREADABLE', message, { passing, ...(hint === undefined ? {} : { hint }) });
    this.trouble = trouble;
    this.driverCode = driverCode;
  }
}

/** The kind of a driver's error, and a hint. */
export interface ErrorVerdict {
  readonly trouble: DatabaseTrouble;
  readonly hint?: string;
}

/** Shorter secrets are not masked, because they occur in ordinary texts. */
const MIN_SECRET = 4;

/** Creates the errors of one database. */
export class DatabaseErrors {
  readonly #database: string;
  readonly #secrets: readonly string[];
  readonly #judge: (error: unknown) => ErrorVerdict;

  /**
   * @param database the name for messages
   * @param secrets the texts that must not appear in messages
   * @param judge classifies the errors of the driver
   */
  constructor(database: string, secrets: readonly string[], judge: (error: unknown) => ErrorVerdict) {
    this.#database = database;
    this.#secrets = secrets.filter((secret) => secret.length >= MIN_SECRET);
    this.#judge = judge;
  }

  /** Returns the error for a failure of a driver. `where` follows the reason, for example `17 rows were read`. */
  wrap(error: unknown, where = ''): DatabaseError {
    if (error instanceof DatabaseError && where === '') return error;
    const isWrapped = error instanceof DatabaseError;
    const { trouble, hint } = isWrapped ? error : this.#verdict(error);
    const driverCode = isWrapped ? error.driverCode : codeOf(error);
    const prefix = `${this.#database}: `;
    let reason = reasonOf(error);
    if (reason.startsWith(prefix)) reason = reason.slice(prefix.length);
    for (const secret of this.#secrets) reason = reason.replaceAll(secret, '******');
    return new DatabaseError(trouble, `${prefix}${reason}${where === '' ? '' : ` (${where})`}`, hint, driverCode);
  }

  #verdict(error: unknown): ErrorVerdict {
    return error instanceof RowTooLarge ? { trouble: 'statement', hint: error.hint } : this.#judge(error);
  }
}

/** Returns the message of an error. An error of several addresses (`localhost` has two) has no message itself. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}

/** Returns the code of Node for a network error, or the code of the driver. */
export function codeOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : '';
}

/** Returns the meaning of network and TLS errors for all databases, or undefined for other errors. */
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
  'The server ended the connection: see its log. The next run reads the table from the beginning.';
