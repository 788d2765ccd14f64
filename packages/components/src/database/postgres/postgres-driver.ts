import { displayUrl, prepareSql, type ServerUrl } from '@headrace/languages/java/sql';
import { unsupportedLibrary } from '../../libraries/unsupported-library.ts';
import { connectSomewhere } from '../connect-somewhere.ts';
import type { Credentials, DatabaseDriver, ValueSettings } from '../database.ts';
import { DatabaseErrors } from '../database-error.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { isWithoutTls, judgePostgres } from './postgres-errors.ts';
import { postgresSettings } from './postgres-settings.ts';

const DIALECT = {
  placeholder: (n: number) => `$${n}`,
  backslashes: false,
  postgres: true,
  brackets: false,
  hashComments: false,
} as const;

/** Opens Postgres, or a database with the same protocol, with the driver `pg`. */
export async function openPostgres(
  url: ServerUrl,
  credentials: Credentials,
  values: ValueSettings,
): Promise<DatabaseDriver> {
  const { default: pg } = await import('pg');
  // Otherwise it would send settings of the environment.
  if (!('getStartupConf' in pg.Client.prototype)) throw unsupportedLibrary('pg', 'Client.getStartupConf');
  const settings = postgresSettings(url, credentials);
  const errors = new DatabaseErrors(displayUrl(url), [credentials.password], judgePostgres);
  return {
    maxConnections: Number.POSITIVE_INFINITY,
    prepare: (sql) => prepareSql(sql, DIALECT),
    async connect() {
      try {
        return await connectSomewhere(
          url.hosts,
          settings.tls,
          (address, tls) => PostgresConnection.open(pg, address, tls, settings, errors, values),
          isWithoutTls,
        );
      } catch (error) {
        throw errors.wrap(error);
      }
    },
  };
}
