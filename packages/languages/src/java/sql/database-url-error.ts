/** Returns the candidate that is most similar to a misspelt name, or undefined if none is similar. */
export type FindSimilar = (name: string, candidates: readonly string[]) => string | undefined;

/** The supported names after `jdbc:`, and common mistakes. */
const SCHEMES = ['postgresql', 'redshift', 'mysql', 'mariadb', 'sqlserver', 'jtds', 'sqlite', 'h2'];
const MISTAKES: ReadonlyMap<string, string> = new Map([
  ['postgres', 'postgresql'],
  ['pgsql', 'postgresql'],
  ['mssql', 'sqlserver'],
]);

/** The supported URLs, for hints. */
const SUPPORTED_URLS =
  'jdbc:postgresql:, jdbc:redshift:, jdbc:mysql:, jdbc:mariadb:, jdbc:sqlserver:, jdbc:jtds:sqlserver:, jdbc:sqlite: and jdbc:h2: (SQLite instead)';

const NAMES: Readonly<Record<string, string>> = {
  oracle: 'Oracle',
  derby: 'Derby',
  hsqldb: 'HSQLDB',
  db2: 'Db2',
  as400: 'Db2 for i',
  sybase: 'Sybase',
  snowflake: 'Snowflake',
};

/**
 * An error for a JDBC URL that cannot be read, or a database that is not supported. The message never quotes the URL.
 */
export class DatabaseUrlError extends Error {
  override readonly name = 'DatabaseUrlError';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }

  /** Returns the error for a text that does not begin with `jdbc:`, such as the URL of another driver. */
  static notJdbc(url: string): DatabaseUrlError {
    const scheme = /^([a-z][\w+-]*):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
    const meant = MISTAKES.get(scheme) ?? SCHEMES.find((known) => known === scheme);
    return new DatabaseUrlError(
      'the connection string is not a JDBC URL',
      meant === undefined
        ? `It must begin with one of ${SUPPORTED_URLS}.`
        : `Write jdbc:${meant}: instead of ${scheme}:.`,
    );
  }

  /**
   * Returns the error for a name after `jdbc:` that is not supported.
   * @param findSimilar finds the name that the user meant, for the hint
   */
  static unsupported(scheme: string, findSimilar?: FindSimilar): DatabaseUrlError {
    const meant = MISTAKES.get(scheme) ?? findSimilar?.(scheme, SCHEMES);
    if (NAMES[scheme] === undefined && meant !== undefined) {
      return new DatabaseUrlError(`jdbc:${scheme}: is not known`, `Did you mean jdbc:${meant}:?`);
    }
    return new DatabaseUrlError(
      `${NAMES[scheme] ?? `jdbc:${scheme}:`} databases are not supported`,
      `Supported URLs: ${SUPPORTED_URLS}. For others, export the rows to CSV or JSON Lines and read those with CSVConnector or JSONConnector, or write a custom connector (./my-connector.js#MyConnector).`,
    );
  }
}
