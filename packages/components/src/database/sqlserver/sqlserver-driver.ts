import { counted } from '@headrace/engine';
import { displayUrl, type PreparedSql, prepareSql, type SqlServerUrl } from '@headrace/languages/java/sql';
import type mssql from 'mssql';
import { loadLibrary } from '../../libraries/optional-library.ts';
import { BatchQueue } from '../batch-queue.ts';
import { REFERENCE_FORMS } from '../column-values.ts';
import type {
  Credentials,
  DatabaseConnection,
  DatabaseDriver,
  QueryResult,
  Row,
  RowStream,
  SqlParameter,
  ValueSettings,
} from '../database.ts';
import { codeOf, DatabaseErrors, type ErrorVerdict, judgeNetwork, LOST_HINT } from '../database-error.ts';
import { BATCH_BYTES, sizeOfRow } from '../row-size.ts';
import { longestValue, sqlServerSettings } from './sqlserver-settings.ts';
import { requireWhole, type SqlServerReader, sqlServerIdText, sqlServerReader } from './sqlserver-values.ts';

const DIALECT = {
  placeholder: (n: number) => `@p${n}`,
  backslashes: false,
  postgres: false,
  brackets: true,
  hashComments: false,
} as const;

const BATCH_ROWS = 1000;
const WAITING_BYTES = 2 * 1024 * 1024;

/** Opens SQL Server with the driver `mssql`. */
export async function openSqlServer(
  url: SqlServerUrl,
  credentials: Credentials,
  values: ValueSettings,
): Promise<DatabaseDriver> {
  const { default: module } = await loadLibrary('mssql');
  const settings = sqlServerSettings(url, credentials);
  const errors = new DatabaseErrors(displayUrl(url), [credentials.password], judge);
  return {
    maxConnections: Number.POSITIVE_INFINITY,
    prepare: (sql) => prepareSql(sql, DIALECT),
    async connect() {
      // A pool of one connection is a separate session.
      const pool = new module.ConnectionPool(settings);
      try {
        return new SqlServerConnection(module, await pool.connect(), errors, values);
      } catch (error) {
        throw errors.wrap(error);
      }
    },
  };
}

/** A column in the description of the driver. */
interface Column {
  readonly name: string;
  readonly type: { readonly name?: string } | (() => unknown);
}

class SqlServerConnection implements DatabaseConnection {
  broken = false;
  /** The running request, if there is one. */
  #active: mssql.Request | undefined;
  readonly #module: typeof mssql;
  readonly #pool: mssql.ConnectionPool;
  readonly #errors: DatabaseErrors;
  readonly #values: ValueSettings;

  constructor(module: typeof mssql, pool: mssql.ConnectionPool, errors: DatabaseErrors, values: ValueSettings) {
    this.#values = values;
    this.#module = module;
    this.#pool = pool;
    this.#errors = errors;
    // The running request also receives the error. Without a listener, the process would end.
    pool.on('error', () => {
      this.broken = true;
    });
  }

  async execute(sql: string): Promise<void> {
    const request = this.#pool.request();
    await this.#run(request, () => request.batch(sql));
  }

  async query(sql: PreparedSql, parameters: readonly SqlParameter[]): Promise<QueryResult> {
    const request = this.#pool.request();
    for (const [i, value] of parameters.entries()) {
      request.input(`p${i + 1}`, this.#typeOf(value), typeof value === 'bigint' ? String(value) : value);
    }
    const result = (await this.#run(request, () => request.query(sql.text))) as unknown as {
      columns?: readonly (readonly Column[])[];
      recordset?: readonly unknown[][];
    };
    const columns = result.columns?.[0];
    if (columns === undefined) throw this.#errors.wrap(new Error('the statement is not a query: it returns no rows'));
    const readers = columns.map((column) => sqlServerReader(typeName(column), column.name, { forms: REFERENCE_FORMS }));
    const rows = result.recordset ?? [];
    try {
      for (const row of rows) requireWhole(row, longestValue());
    } catch (error) {
      throw this.#errors.wrap(error);
    }
    return {
      columns: columns.map(({ name }) => name),
      rows: rows.map((row) => row.map((value, i) => (readers[i] as SqlServerReader)(value))),
    };
  }

  async stream(sql: string): Promise<RowStream> {
    const request = this.#pool.request();
    request.stream = true;
    this.#active = request;
    let received = 0;
    let idColumn = -1;
    let readers: SqlServerReader[] = [];
    let batch: Row[] = [];
    let bytes = 0;
    const queue = new BatchQueue<readonly Row[]>(
      { pause: () => void request.pause(), resume: () => void request.resume() },
      WAITING_BYTES,
    );
    const flush = () => {
      if (batch.length > 0) queue.push(batch, bytes);
      batch = [];
      bytes = 0;
    };
    const columns = await new Promise<readonly Column[]>((resolve, reject) => {
      const fail = (error: unknown) => {
        this.#active = undefined;
        flush();
        const wrapped = this.#errors.wrap(
          error,
          received > 0 ? `${counted(received, 'row was', 'rows were')} read` : '',
        );
        if (wrapped.trouble === 'lost') this.broken = true;
        reject(wrapped);
        queue.fail(wrapped);
      };
      request.on('recordset', (found: unknown) => {
        // The rows wait until they are requested, because the id column is known only then.
        request.pause();
        resolve(found as readonly Column[]);
      });
      request.on('row', (row: unknown[]) => {
        try {
          requireWhole(row, longestValue());
        } catch (error) {
          fail(error);
          request.cancel();
          return;
        }
        received++;
        const values: Row = row.map((value, i) => (readers[i] as SqlServerReader)(value));
        values.push(sqlServerIdText(row[idColumn]));
        bytes += sizeOfRow(values);
        batch.push(values);
        if (batch.length >= BATCH_ROWS || bytes >= BATCH_BYTES) flush();
      });
      request.on('error', fail);
      request.on('done', () => {
        this.#active = undefined;
        flush();
        queue.end();
        reject(this.#errors.wrap(new Error('sql is not a query: it returns no rows')));
      });
      request.query(sql).catch(fail);
    });
    return {
      columns: columns.map(({ name }) => name),
      rows: (column) => {
        idColumn = column;
        readers = columns.map((one) => sqlServerReader(typeName(one), one.name, this.#values));
        request.resume();
        return queue;
      },
      warning: undefined,
      invalidTimes: 0,
      close: async () => {
        if (this.#active === request) await this.close();
      },
    };
  }

  async close(): Promise<void> {
    this.broken = true;
    this.#active?.cancel();
    // An error while closing has no effect.
    await this.#pool.close().catch(() => undefined);
  }

  #typeOf(value: SqlParameter): mssql.ISqlType {
    const module = this.#module;
    switch (typeof value) {
      case 'boolean':
        return module.Bit();
      case 'bigint':
        return module.BigInt();
      case 'number':
        return module.Float();
      default:
        return module.NVarChar(module.MAX);
    }
  }

  async #run<T>(request: mssql.Request, work: () => Promise<T>): Promise<T> {
    this.#active = request;
    try {
      return await work();
    } catch (error) {
      const wrapped = this.#errors.wrap(error);
      if (wrapped.trouble === 'lost' || wrapped.trouble === 'timeout') this.broken = true;
      throw wrapped;
    } finally {
      this.#active = undefined;
    }
  }
}

/** Returns the name of a column's type. The driver returns a function with that name, or the result of the function. */
function typeName({ type }: Column): string {
  if (typeof type === 'function') return type.name;
  return type.name ?? '';
}

/** Classifies an error by the codes of the driver and the numbers of SQL Server. */
function judge(error: unknown): ErrorVerdict {
  const number = (error as { number?: unknown } | null)?.number;
  if (number === 208)
    return { trouble: 'statement', hint: 'Check the name of the table, and its schema and database.' };
  if (number === 4060) return { trouble: 'refused', hint: 'Check databaseName in connectionString.' };
  switch (codeOf(error)) {
    case 'ELOGIN':
      return { trouble: 'refused', hint: 'Check jdbcUser and jdbcPassword.' };
    case 'EREQUEST':
      return { trouble: 'statement' };
    case 'ETIMEOUT':
      return { trouble: 'timeout' };
    case 'EINSTLOOKUP':
    case 'ESOCKET':
      return {
        trouble: 'unreachable',
        hint: 'Check host, instance and port in connectionString. A server without a trusted certificate needs trustServerCertificate=true.',
      };
    case 'ECONNCLOSED':
    case 'ENOTOPEN':
      return { trouble: 'lost', hint: LOST_HINT };
    default:
      return judgeNetwork(error) ?? { trouble: 'statement' };
  }
}
