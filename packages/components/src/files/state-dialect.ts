/** The SQL that differs between the databases that can keep the state of files. */
export interface StateDialect {
  /** Quotes a name. */
  quote(name: string): string;
  /** The statement that creates the table if it does not exist. */
  create(table: string): string;
  /** A query for the maximum length of a path, in bytes. */
  longest: string;
  /**
   * Statements that lock the table for this session. After ten seconds they fail or return false. `?` is the table
   * name.
   */
  readonly lock: readonly string[];
  /** The expression that compares paths byte by byte. */
  readonly name: string;
  /** The expression that returns a path as text. */
  readonly nameText: string;
  /** The expression that returns when a file was last published, in milliseconds since the epoch. */
  readonly lastPublished: string;
  /** Returns the SQL expression of any text. */
  text(value: string): string;
  /** Returns the SQL expression of a time, given in milliseconds since the epoch. */
  instant(millis: number): string;
  /** The clause of an INSERT that updates an existing row. */
  readonly metAgain: string;
}

/** The length of a path that fits in an index of every supported server. */
const LONGEST_BYTES = 2600;

const hexOf = (value: string) => Buffer.from(value).toString('hex');

export const POSTGRES_STATE: StateDialect = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  create: (table) => `CREATE TABLE IF NOT EXISTS ${table} (name TEXT COLLATE "C" PRIMARY KEY,
    last_published TIMESTAMP WITH TIME ZONE, encountered BOOLEAN, runs_not_encountered INTEGER)`,
  // A table created by Lucille has a column of limited width.
  longest: `SELECT CAST(COALESCE(MIN(character_maximum_length), ${LONGEST_BYTES}) AS INTEGER) FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ? AND column_name = 'name'`,
  lock: [
    "SELECT set_config('lock_timeout', '10s', false)",
    "SELECT TRUE FROM pg_advisory_lock(hashtext('headrace ' || current_schema()), hashtext(?))",
  ],
  name: 'name COLLATE "C"',
  nameText: 'name',
  lastPublished: 'CAST(EXTRACT(EPOCH FROM last_published) * 1000 AS BIGINT)',
  text: (value) => `convert_from(decode('${hexOf(value)}', 'hex'), 'UTF8')`,
  instant: (millis) => `TIMESTAMP WITH TIME ZONE '${new Date(millis).toISOString()}'`,
  metAgain: 'ON CONFLICT (name) DO UPDATE SET encountered = TRUE, runs_not_encountered = 0',
};

export const MYSQL_STATE: StateDialect = {
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  // VARBINARY compares bytes: letter case, accents and trailing blanks count. The times are in UTC.
  create: (table) => `CREATE TABLE IF NOT EXISTS ${table} (name VARBINARY(${LONGEST_BYTES}) PRIMARY KEY,
    last_published DATETIME(3) NULL, encountered BOOLEAN, runs_not_encountered INTEGER)`,
  longest: `SELECT COALESCE(MIN(character_octet_length), ${LONGEST_BYTES}) FROM information_schema.columns
    WHERE table_schema = DATABASE() AND table_name = ? AND column_name = 'name'`,
  lock: ["SELECT GET_LOCK(MD5(CONCAT('headrace ', DATABASE(), ' ', ?)), 10) = 1"],
  name: 'name',
  nameText: 'CONVERT(name USING utf8mb4)',
  lastPublished: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', last_published) DIV 1000",
  text: (value) => `X'${hexOf(value)}'`,
  instant: (millis) => `'${new Date(millis).toISOString().slice(0, -1).replace('T', ' ')}'`,
  metAgain: 'ON DUPLICATE KEY UPDATE encountered = TRUE, runs_not_encountered = 0',
};
