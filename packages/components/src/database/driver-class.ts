import { nearest, type ParameterProblem } from '@headrace/engine';
import { type DatabaseUrl, DatabaseUrlError, parseJdbcUrl } from '@headrace/languages/java/sql';
import { checkLibrary } from '../libraries/optional-library.ts';
import { existsSync } from '../local-files/local-files.ts';
import { checkUrlParameters } from './url-parameters.ts';

/** The JDBC drivers in configs, each with the scheme of its URLs. Only the URL selects the database. */
const DRIVERS: Readonly<Record<string, string>> = {
  'org.postgresql.Driver': 'postgresql',
  'com.amazon.redshift.Driver': 'redshift',
  'com.amazon.redshift.jdbc.Driver': 'redshift',
  'com.amazon.redshift.jdbc4.Driver': 'redshift',
  'com.amazon.redshift.jdbc41.Driver': 'redshift',
  'com.amazon.redshift.jdbc42.Driver': 'redshift',
  'com.mysql.cj.jdbc.Driver': 'mysql',
  'com.mysql.jdbc.Driver': 'mysql',
  'org.mariadb.jdbc.Driver': 'mariadb',
  'com.microsoft.sqlserver.jdbc.SQLServerDriver': 'sqlserver',
  'net.sourceforge.jtds.jdbc.Driver': 'jtds',
  'org.sqlite.JDBC': 'sqlite',
  'org.h2.Driver': 'h2',
};

const UNSUPPORTED: Readonly<Record<string, string>> = {
  'oracle.jdbc.OracleDriver': 'oracle',
  'oracle.jdbc.driver.OracleDriver': 'oracle',
  'org.apache.derby.jdbc.EmbeddedDriver': 'derby',
  'org.apache.derby.jdbc.ClientDriver': 'derby',
  'org.apache.derby.iapi.jdbc.AutoloadedDriver': 'derby',
  'org.hsqldb.jdbc.JDBCDriver': 'hsqldb',
  'org.hsqldb.jdbcDriver': 'hsqldb',
  'com.ibm.db2.jcc.DB2Driver': 'db2',
  'com.ibm.as400.access.AS400JDBCDriver': 'as400',
  'net.snowflake.client.jdbc.SnowflakeDriver': 'snowflake',
};

/** Reports problems of a driver class and a JDBC URL, without connecting. */
export function* checkDatabase(settings: {
  readonly driver: string;
  readonly connectionString: string;
}): Generator<ParameterProblem> {
  const { driver, connectionString } = settings;
  const refused = UNSUPPORTED[driver];
  if (refused !== undefined) {
    const { message, hint } = DatabaseUrlError.unsupported(refused, nearest);
    yield { parameter: 'driver', message, hint, atStart: true };
    return;
  }
  if (!Object.hasOwn(DRIVERS, driver)) {
    const best = nearest(driver, Object.keys(DRIVERS));
    yield {
      parameter: 'driver',
      message: `The database driver ${driver} is not known`,
      hint: best === undefined ? `Use one of ${Object.keys(DRIVERS).join(', ')}.` : `Did you mean ${best}?`,
      atStart: true,
    };
  }
  try {
    const url = parseJdbcUrl(connectionString, nearest);
    const warning = standInWarning(url);
    if (warning !== undefined) yield { parameter: 'connectionString', message: warning, severity: 'warning' };
    yield* checkUrlParameters('connectionString', url);
    if (url.kind === 'sqlserver') yield* checkLibrary('mssql', 'connectionString');
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    yield { parameter: 'connectionString', message: error.message, hint: error.hint, atStart: true };
  }
}

/**
 * Returns a message if another database replaces the database of the URL, or undefined if not.
 * Throws `DatabaseUrlError` if the file of the original database has data, because this data would be missing.
 */
export function standInWarning(url: DatabaseUrl): string | undefined {
  if (url.kind !== 'sqlite' || url.insteadOf === undefined) return undefined;
  const { file } = url.insteadOf;
  if (file !== undefined && existsSync(file) && !existsSync(url.file)) {
    throw new DatabaseUrlError(
      `the H2 database ${file} cannot be read`,
      `Export its tables with H2 (CALL CSVWRITE('table.csv', 'SELECT * FROM table')) and read the files with CSVConnector, or load them into a SQLite file and use jdbc:sqlite:<file>.`,
    );
  }
  return `H2 runs in Java only: SQLite is used in its place (${file === undefined ? 'in memory' : `file ${url.file}`}), with the SQL of SQLite`;
}

/** Returns whether a JDBC URL names SQL Server. */
export function isSqlServer(connectionString: string): boolean {
  return /^jdbc:(jtds:)?sqlserver:/i.test(connectionString);
}
