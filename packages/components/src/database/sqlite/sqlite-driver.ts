import type { DatabaseSync, StatementColumnMetadata, StatementSync } from 'node:sqlite';
import {
  counted,
  double,
  HeadraceError,
  integer,
  maxValueBytes,
  mayComputeWithoutEnd,
  type Value,
} from '@headrace/engine';
import {
  displayUrl,
  type PreparedSql,
  prepareSql,
  processZone,
  type SqliteUrl,
  SqlTimes,
} from '@headrace/languages/java/sql';
import { openLocalDatabase } from '../../local-files/local-database.ts';
import { existsSync } from '../../local-files/local-files.ts';
import { ColumnValues, REFERENCE_FORMS } from '../column-values.ts';
import type {
  DatabaseConnection,
  DatabaseDriver,
  QueryResult,
  Row,
  RowStream,
  SqlParameter,
  ValueSettings,
} from '../database.ts';
import { codeOf, DatabaseErrors, type ErrorVerdict } from '../database-error.ts';
import { RowTooLarge } from '../row-limit.ts';
import { BATCH_BYTES, sizeOfRow } from '../row-size.ts';

const DIALECT = {
  placeholder: undefined,
  backslashes: false,
  postgres: false,
  brackets: true,
  hashComments: false,
} as const;

/** The number of rows that are read together. SQLite reads in this thread, and other work must run in between. */
const BATCH_ROWS = 1000;
/** The maximum wait while another process writes the file. */
const BUSY_MILLIS = 10_000;

type SqliteValue = null | number | bigint | string | Uint8Array;

/** Opens SQLite with the driver of Node. */
export async function openSqlite(url: SqliteUrl, values: ValueSettings): Promise<DatabaseDriver> {
  const errors = new DatabaseErrors(displayUrl(url), [], (error) => judge(error, url));
  return {
    maxConnections: 1,
    prepare: (sql) => prepareSql(sql, DIALECT),
    async connect() {
      if (!mayComputeWithoutEnd()) throw refusedSqlite(url);
      try {
        // A missing file would be created, but an empty database is never the intended source.
        if (url.file !== ':memory:' && url.insteadOf === undefined && !existsSync(url.file)) {
          throw new Error('the file does not exist');
        }
        const database = await openLocalDatabase(url.file, { readOnly: url.readOnly, timeout: BUSY_MILLIS });
        const { limits } = database;
        limits.length = Math.min(limits.length, Math.floor(maxValueBytes()));
        return new SqliteConnection(database, errors, values);
      } catch (error) {
        throw errors.wrap(error);
      }
    },
  };
}

/**
 * Returns the error for a config that may not use SQLite. Other databases are separate servers, whose queries can be
 * cancelled.
 */
function refusedSqlite(url: SqliteUrl): HeadraceError {
  const what = `An uploaded config may not use ${displayUrl(url)}: SQLite computes in the service, and cannot be interrupted`;
  return new HeadraceError('HR_POLICY_REFUSED', what, {
    hint: 'The operator of the service can allow it: `policy.scripts: all` in the service file.',
  });
}

class SqliteConnection implements DatabaseConnection {
  readonly broken = false;
  readonly #database: DatabaseSync;
  readonly #errors: DatabaseErrors;
  readonly #statements = new Map<string, StatementSync>();
  readonly #times = new SqlTimes(processZone());
  readonly #values: ColumnValues;

  constructor(database: DatabaseSync, errors: DatabaseErrors, values: ValueSettings) {
    this.#values = new ColumnValues(this.#times, values.forms, values.report);
    this.#database = database;
    this.#errors = errors;
  }

  async execute(sql: string): Promise<void> {
    this.#run(() => this.#database.exec(sql));
  }

  async query({ text }: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult> {
    return this.#run(() => {
      let statement = this.#statements.get(text);
      if (statement === undefined) {
        statement = this.#prepare(text);
        this.#statements.set(text, statement);
      }
      const columns = statement.columns();
      const reference = new ColumnValues(this.#times, REFERENCE_FORMS);
      const readers = columns.map((column) => reader(column, reference));
      const rows = statement.all(...bindable(parameters)) as unknown as SqliteValue[][];
      return {
        columns: columns.map(({ name }) => name),
        rows: rows.map((row) => row.map((value, i) => (readers[i] as Reader)(value))),
      };
    });
  }

  async stream(sql: string, parameters: readonly SqlParameter[] = []): Promise<RowStream> {
    return this.#run(() => {
      const statement = this.#prepare(sql);
      const errors = this.#errors;
      const times = this.#times;
      const values = this.#values;
      const columns = statement.columns();
      return {
        columns: columns.map(({ name }) => name),
        rows: (idColumn: number) =>
          readRows(
            statement,
            bindable(parameters),
            columns.map((column) => reader(column, values)),
            idColumn,
            errors,
          ),
        get invalidTimes() {
          return times.invalid;
        },
        get warning() {
          return times.warning;
        },
        close: async () => undefined,
      };
    });
  }

  async close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    if (statement.columns().length === 0) throw new Error('the statement is not a query: it returns no rows');
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement;
  }

  #run<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#errors.wrap(error);
    }
  }
}

function bindable(parameters: readonly SqlParameter[]): Exclude<SqlParameter, boolean>[] {
  return parameters.map((value) => (typeof value === 'boolean' ? BigInt(value) : value));
}

async function* readRows(
  statement: StatementSync,
  parameters: readonly Exclude<SqlParameter, boolean>[],
  readers: readonly Reader[],
  idColumn: number,
  errors: DatabaseErrors,
): AsyncGenerator<readonly Row[]> {
  let read = 0;
  try {
    const iterator = statement.iterate(...parameters) as unknown as Iterator<SqliteValue[]>;
    for (let done = false; !done; ) {
      const batch: Row[] = [];
      let bytes = 0;
      while (batch.length < BATCH_ROWS && bytes < BATCH_BYTES && !done) {
        const next = iterator.next();
        if (next.done === true) done = true;
        else {
          const row: Row = next.value.map((value, i) => (readers[i] as Reader)(value));
          row.push(textOfId(next.value[idColumn] ?? null));
          bytes += sizeOfRow(row);
          batch.push(row);
        }
      }
      read += batch.length;
      yield batch;
    }
  } catch (error) {
    throw errors.wrap(error, `${counted(read, 'row was', 'rows were')} read`);
  }
}

function textOfId(value: SqliteValue): string | null {
  if (value === null) return null;
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}

type Reader = (value: SqliteValue) => Value;

/**
 * Returns the reader for the values of a column. SQLite stores a type with each value. The declared type of the column
 * decides only if the value is ambiguous: whether a number is a boolean, a whole double or an instant.
 */
function reader({ name, type: declared }: StatementColumnMetadata, values: ColumnValues): Reader {
  const { times } = values;
  const type = declared?.toUpperCase() ?? '';
  if (/^(BOOL|BIT\b)/.test(type)) return (value) => (typeof value === 'bigint' ? value !== 0n : plain(value));
  if (type === 'DATE') {
    const read = values.date(name);
    return (value) => (typeof value === 'string' && value.length === 10 ? read(value) : instant(value, times));
  }
  if (/^(DATE|TIMESTAMP)/.test(type)) return (value) => instant(value, times);
  if (/^(NUMERIC|DECIMAL)/.test(type)) {
    const read = values.decimal(name);
    return (value) => (typeof value === 'bigint' || typeof value === 'number' ? read(String(value)) : plain(value));
  }
  if (/^(REAL|DOUBLE|FLOAT)/.test(type)) {
    return (value) => (typeof value === 'bigint' ? double(Number(value)) : plain(value));
  }
  return plain;
}

function plain(value: SqliteValue): Value {
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return double(value);
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}

/** Reads a text as a date, and an integer as milliseconds since 1970. The JDBC driver writes these forms. */
function instant(value: SqliteValue, times: SqlTimes): Value {
  if (typeof value === 'string') return times.instant(value);
  if (typeof value !== 'bigint') return plain(value);
  const date = new Date(Number(value));
  return Number.isNaN(date.getTime()) ? integer(value) : date.toISOString().replace('.000Z', 'Z');
}

function judge(error: unknown, { file }: SqliteUrl): ErrorVerdict {
  const message = error instanceof Error ? error.message : '';
  if (/does not exist|unable to open/.test(message)) {
    return { trouble: 'refused', hint: `Check the path ${file}, and the rights to read it.` };
  }
  if (/no such table|no such column|syntax error/.test(message)) {
    return { trouble: 'statement', hint: 'The statement must be in the SQL of SQLite, its tables in this file.' };
  }
  if (/too big/.test(message)) return { trouble: 'statement', hint: new RowTooLarge().hint };
  if (/locked|busy/.test(message)) return { trouble: 'timeout', hint: 'Another process is writing the file.' };
  return { trouble: codeOf(error) === 'ERR_SQLITE_ERROR' ? 'statement' : 'refused' };
}
