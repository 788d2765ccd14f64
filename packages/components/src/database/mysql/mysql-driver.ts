import { HeadraceError } from '@headrace/engine';
import { displayUrl, prepareSql, type ServerUrl } from '@headrace/languages/java/sql';
import { connectSomewhere } from '../connect-somewhere.ts';
import type { Credentials, DatabaseDriver, ValueSettings } from '../database.ts';
import { codeOf, DatabaseErrors, type ErrorVerdict, judgeNetwork, LOST_HINT } from '../database-error.ts';
import { MysqlConnection } from './mysql-connection.ts';
import { mysqlSettings } from './mysql-settings.ts';

const DIALECT = {
  placeholder: undefined,
  backslashes: true,
  postgres: false,
  brackets: false,
  hashComments: true,
} as const;

/** Opens MySQL or MariaDB with the driver `mysql2`. */
export async function openMysql(
  url: ServerUrl,
  credentials: Credentials,
  values: ValueSettings,
): Promise<DatabaseDriver> {
  const { default: mysql } = await import('mysql2');
  const settings = mysqlSettings(url, credentials);
  const errors = new DatabaseErrors(displayUrl(url), [credentials.password], judge);
  return {
    maxConnections: Number.POSITIVE_INFINITY,
    prepare: (sql, placeholder) =>
      prepareSql(sql, placeholder === undefined ? DIALECT : { ...DIALECT, placeholder: () => placeholder }),
    async connect() {
      try {
        return await connectSomewhere(
          url.hosts,
          settings.tls,
          (address, tls) => MysqlConnection.open(mysql, address, tls, settings, errors, values),
          (error) => codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT',
        );
      } catch (error) {
        // Another version of the driver.
        throw error instanceof HeadraceError ? error : errors.wrap(error);
      }
    },
  };
}

function judge(error: unknown): ErrorVerdict {
  const code = codeOf(error);
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
    case 'ER_NOT_SUPPORTED_AUTH_MODE':
      return { trouble: 'refused', hint: 'Check jdbcUser and jdbcPassword.' };
    case 'ER_DBACCESS_DENIED_ERROR':
    case 'ER_BAD_DB_ERROR':
      return {
        trouble: 'refused',
        hint: 'Check the name of the database in connectionString, and the rights to use it.',
      };
    case 'ER_NO_SUCH_TABLE':
      return { trouble: 'statement', hint: 'Check the name of the table, letter case included, and the database.' };
    case 'ER_CON_COUNT_ERROR':
    case 'ER_TOO_MANY_USER_CONNECTIONS':
      return { trouble: 'unreachable', hint: 'Use fewer threads (worker.threads), or allow more connections there.' };
    case 'HANDSHAKE_NO_SSL_SUPPORT':
      return { trouble: 'refused', hint: 'Add ?sslMode=DISABLED to the URL if the connection may be unencrypted.' };
    case 'PROTOCOL_CONNECTION_LOST':
    case 'ER_SERVER_SHUTDOWN':
    case 'ER_CONNECTION_KILLED':
      return { trouble: 'lost', hint: LOST_HINT };
    case 'PROTOCOL_SEQUENCE_TIMEOUT':
    case 'ER_QUERY_TIMEOUT':
    case 'ER_STATEMENT_TIMEOUT':
      return { trouble: 'timeout' };
  }
  if (code.startsWith('ER_')) return { trouble: 'statement' };
  const network = judgeNetwork(error);
  if (network !== undefined) return network;
  const message = error instanceof Error ? error.message : '';
  if (/closed state|Connection lost/.test(message)) return { trouble: 'lost', hint: LOST_HINT };
  return { trouble: 'statement' };
}
