import { codeOf, type ErrorVerdict, judgeNetwork, LOST_HINT } from '../database-error.ts';

/**
 * Returns the meaning of an error of `pg`, by its SQLSTATE (PostgreSQL documentation, appendix A), or by its text if it
 * has none.
 */
export function judgePostgres(error: unknown): ErrorVerdict {
  const code = codeOf(error);
  if (/^28/.test(code)) return { trouble: 'refused', hint: 'Check jdbcUser and jdbcPassword.' };
  if (/^08/.test(code) || code === '57P01' || code === '57P02') return { trouble: 'lost', hint: LOST_HINT };
  switch (code) {
    case '3D000':
      return { trouble: 'refused', hint: 'Check the name of the database in connectionString.' };
    case '53300':
      return { trouble: 'unreachable', hint: 'Use fewer threads (worker.threads), or allow more connections there.' };
    case '57P03':
      return { trouble: 'unreachable' };
    case '55P03':
      return { trouble: 'busy', hint: 'Another session holds a lock: see pg_locks, or set a longer lock_timeout.' };
    case '25006':
      return { trouble: 'busy', hint: 'The server is read-only: check that it is not a standby.' };
    case '57014':
      return { trouble: 'timeout', hint: 'The statement_timeout of the server, or of this user, is too short for it.' };
    case '42P01':
    case '3F000':
      return {
        trouble: 'statement',
        hint: 'Check the name of the table, letter case included, and its schema: write schema.table, or add ?currentSchema=… to the URL.',
      };
    case '42501':
      return { trouble: 'statement', hint: 'Grant the right to the user in jdbcUser.' };
  }
  // Conflicting transactions, or a server without enough memory, disk space or other resources.
  if (/^(40|53)/.test(code)) return { trouble: 'busy' };
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E')) return { trouble: 'statement' };
  const network = judgeNetwork(error);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : '';
  if (/^Connection terminated|^Client has encountered a connection error/.test(message)) {
    return { trouble: 'lost', hint: LOST_HINT };
  }
  if (/timeout/i.test(message)) return { trouble: 'timeout' };
  if (isWithoutTls(error)) {
    return { trouble: 'refused', hint: 'Add ?sslmode=disable to the URL if the connection may be unencrypted.' };
  }
  return { trouble: 'refused' };
}

/** Returns whether the server does not support TLS. */
export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && /server does not support SSL/.test(error.message);
}

/** Adds the position in the statement to the message of an error, if the server reports it. */
export function withPosition(error: unknown): unknown {
  const position = (error as { position?: unknown } | null)?.position;
  if (error instanceof Error && typeof position === 'string')
    error.message += ` at character ${position} of the statement`;
  return error;
}
