/** The URLs that are understood, for hints. */
export const SUPPORTED_URLS =
  'jdbc:postgresql:, jdbc:redshift:, jdbc:mysql:, jdbc:mariadb:, jdbc:sqlserver:, jdbc:jtds:sqlserver:, jdbc:sqlite: and jdbc:h2: (with SQLite in its place)';

const NAMES: Readonly<Record<string, string>> = {
  oracle: 'Oracle',
  derby: 'Derby',
  hsqldb: 'HSQLDB',
  db2: 'Db2',
  as400: 'Db2 for i',
  sybase: 'Sybase',
  snowflake: 'Snowflake',
};

/** A JDBC URL that cannot be read, or a database that is not supported. The message never quotes the URL. */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }

  /** For the part of a URL behind `jdbc:` that names a database without a driver here. */
  static unsupported(scheme: string): DatabaseUrlError {
    return new DatabaseUrlError(
      `${NAMES[scheme] ?? `jdbc:${scheme}:`} databases are not supported`,
      `Supported are ${SUPPORTED_URLS}. From others export the rows to CSV or JSON Lines and read those with CSVConnector or JSONConnector, or write a connector of your own (./my-connector.js#MyConnector).`,
    );
  }
}
