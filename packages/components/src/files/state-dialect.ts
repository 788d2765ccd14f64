/** In what the databases differ that keep the state of files. */
export interface StateDialect {
  /** A name in quotes. */
  quote(name: string): string;
  /** Makes the table where it is missing. */
  create(table: string): string;
  /** A query for the length of the longest path that fits, in bytes. */
  longest: string;
  /** Takes the lock of the table for this session, or returns false, or fails, after ten seconds. The table is `?`. */
  readonly lock: readonly string[];
  /** What compares paths byte by byte. */
  readonly name: string;
  /** A path as text. */
  readonly nameText: string;
  /** When a file was last published, in milliseconds since the epoch. */
  readonly lastPublished: string;
  /** A text as an expression, whatever is in it. */
  text(value: string): string;
  /** An instant of these milliseconds since the epoch as an expression. */
  instant(millis: number): string;
  /** The clause after an INSERT for an existing row. */
  readonly metAgain: string;
}

/** As an index takes it, whatever else is in the row. */
const LONGEST_BYTES = 2600;

const hexOf = (value: string) => Buffer.from(value).toString('hex');

export const POSTGRES_STATE: StateDialect = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  create: (table) => `CREATE TABLE IF NOT EXISTS ${table} (name TEXT COLLATE "C" PRIMARY KEY,
    last_published TIMESTAMP WITH TIME ZONE, encountered BOOLEAN, runs_not_encountered INTEGER)`,
  // A table that Lucille made has a column of limited width.
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
  // Bytes are compared as they are: letter case, accents and blanks at the end count. The instants are in UTC.
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
