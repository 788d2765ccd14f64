import {
  capped,
  checkWritable,
  clamped,
  counted,
  type Document,
  HeadraceError,
  MAX_MILLIS,
  MapOf,
  memoryOf,
  messageOf,
  type ParameterProblem,
  QUERIES,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import type { PreparedSql } from '@headrace/languages/java/sql';
import { checkDatabaseAccess } from '../database/check-database-access.ts';
import { ConnectionPool } from '../database/connection-pool.ts';
import { Database, type SqlParameter } from '../database/database.ts';
import { checkDatabase } from '../database/driver-class.ts';
import { INPUT_TYPES, type InputType, toParameter } from '../database/input-types.ts';
import { columnOf } from '../database/row-documents.ts';
import { sizeOfRow } from '../database/row-size.ts';

const parameters = Type.Object({
  /** The class of the JDBC driver, such as org.postgresql.Driver. No Java is needed: the URL names the database. */
  driver: Type.String(),
  /** The JDBC URL, such as jdbc:postgresql://host:5432/db. */
  connectionString: Type.String(QUERIES),
  /** The user. If jdbcUser and jdbcPassword are both empty, the user in the URL is used. */
  jdbcUser: Type.String(),
  /** The password. Read it from the environment: ${DB_PASSWORD}. */
  jdbcPassword: Type.String(),
  /** The query. Required: without it the stage does not start. */
  sql: Type.Optional(Type.String()),
  /**
   * The fields whose values replace each ? of the query. If a field is a list, its first value counts. Null is NULL.
   */
  keyFields: Type.Array(Type.String()),
  /**
   * The type of each key field in the database: String, Integer, Long, Double, Boolean or Date. A text that is not a
   * number counts as 0. A Date is the day of an instant in the zone of the process.
   */
  inputTypes: Type.Array(Type.String()),
  /** For each column, by its label in any letter case, the field for its values. */
  fieldMapping: MapOf(Type.String()),
  /** How often a failed connection is tried again. A refused password is not. */
  connectionRetries: Type.Integer({ default: 1, ...clamped({ minimum: 1 }), ...capped('maxRetries') }),
  /** The wait before each retry, in milliseconds. */
  connectionRetryPause: Type.Integer({
    default: 10_000,
    ...clamped({ maximum: MAX_MILLIS }),
    ...capped('maxWaitSecs', { scale: 1000 }),
  }),
});

/** The number of queries, and of connections, that each pipeline thread runs at the same time. */
const IN_FLIGHT = 4;

/**
 * Looks up rows in a database by values of the document, and adds columns of them to its fields.
 *
 * The databases and their JDBC URLs are those of DatabaseConnector: PostgreSQL (and Redshift), MySQL, MariaDB, SQL
 * Server, SQLite. Its page also explains how types of columns become values. The statement is prepared once. Each ? in
 * it is replaced by one of the key fields, in order. A ? in a text, a quoted name or a comment stays. Operators of
 * PostgreSQL that contain one are written with two, ??.
 *
 * The mapped columns of each row are added to the fields. Existing values stay, several rows make a list, NULL adds
 * nothing. Without a row nothing changes. A document without one of the key fields fails, and so does one whose query
 * fails.
 *
 * Each pipeline thread runs up to 4 queries at a time on separate connections. The order of the documents is kept. A
 * lost connection is replaced, and its query is sent again. A query of more than 5 minutes fails its document;
 * socketTimeout in the URL sets another limit.
 */
export class QueryDatabase extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'The name of a country by its code',
      params: {
        driver: 'org.sqlite.JDBC',
        connectionString: 'jdbc:sqlite::memory:',
        jdbcUser: '',
        jdbcPassword: '',
        sql: "SELECT name, member FROM (SELECT 'fr' AS code, 'France' AS name, 1958 AS member UNION ALL SELECT 'nz', 'New Zealand', NULL) WHERE code = ?",
        keyFields: ['country'],
        inputTypes: ['String'],
        fieldMapping: { name: 'country_name', member: 'eu_since' },
      },
      documents: [
        { id: '1', country: 'fr' },
        { id: '2', country: 'nz' },
        { id: '3', country: 'xx' },
      ],
      output: [
        { id: '1', country: 'fr', country_name: 'France', eu_since: 1958 },
        { id: '2', country: 'nz', country_name: 'New Zealand' },
        { id: '3', country: 'xx' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { sql, keyFields, inputTypes, fieldMapping } = params;
    for (const [i, type] of inputTypes.entries()) {
      if (Object.hasOwn(INPUT_TYPES, type)) continue;
      yield {
        parameter: `inputTypes[${i}]`,
        message: `type ${type} is not a valid prepared statement parameter.`,
        hint: `Use one of ${Object.keys(INPUT_TYPES).join(', ')}, in this spelling.`,
      };
    }
    for (const [column, field] of fieldMapping) {
      try {
        checkWritable(field);
      } catch (error) {
        yield { parameter: ['fieldMapping', column], message: messageOf(error), atStart: true };
      }
    }
    if (keyFields.length !== inputTypes.length) {
      yield {
        parameter: 'inputTypes',
        message: `inputTypes has ${counted(inputTypes.length, 'entry', 'entries')}, keyFields ${keyFields.length}`,
        hint: 'Each key field needs a type.',
        atStart: true,
      };
    }
    if (sql === undefined || sql.trim() === '') yield { parameter: 'sql', message: 'sql is missing', atStart: true };
    yield* checkDatabase(params);
  }

  override readonly maxInFlight = IN_FLIGHT;
  readonly #inputs: readonly InputType[];
  #pool: ConnectionPool | undefined;
  #sql: PreparedSql | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#inputs = params.inputTypes as InputType[];
  }

  override async checkAccess(): Promise<void> {
    await checkDatabaseAccess(this.params, this.context.log, async () => undefined);
  }

  override async start(): Promise<void> {
    const { keyFields, sql = '' } = this.params;
    const database = await Database.open(this.params, this.context.log);
    this.#sql = database.driver.prepare(sql);
    if (this.#sql.parameters !== keyFields.length) {
      throw new HeadraceError(
        'HR_STAGE_START',
        `sql takes ${counted(this.#sql.parameters, 'value')} (?), keyFields names ${keyFields.length}`,
        { hint: 'Each ? outside texts and comments is replaced by one key field.' },
      );
    }
    this.#pool = new ConnectionPool(database, IN_FLIGHT);
    await this.#pool.open();
  }

  override async process(document: Document): Promise<void> {
    const { keyFields, fieldMapping } = this.params;
    const parameters = keyFields.map((field, i) => this.#parameter(document, field, this.#inputs[i] as InputType));
    const { columns, rows } = await (this.#pool as ConnectionPool).query(this.#sql as PreparedSql, parameters);
    if (rows.length === 0) return;
    await memoryOf(document).take(rows.reduce((bytes, row) => bytes + sizeOfRow(row), 0));
    const mapped = [...fieldMapping].map(([label, field]) => ({ at: this.#place(columns, label), field }));
    for (const row of rows) {
      for (const { at, field } of mapped) {
        const value = row[at] as Value;
        if (value === null) continue;
        document.update(field, 'append', Array.isArray(value) ? value : [value]);
      }
    }
  }

  override async stop(): Promise<void> {
    await this.#pool?.close();
  }

  #parameter(document: Document, field: string, type: InputType): SqlParameter {
    const value = document.first(field);
    if (value !== undefined) return toParameter(value, type, field);
    throw new HeadraceError('HR_STAGE_FAILED', `Field "${field}", a key of the query, is missing`, {
      hint: 'Add a condition on the field to the stage, or set the field in an earlier stage.',
    });
  }

  #place(columns: readonly string[], label: string): number {
    const at = columnOf(columns, label);
    if (at >= 0) return at;
    throw new HeadraceError('HR_STAGE_FAILED', `The result has no column ${label}, which fieldMapping names`, {
      hint: `Its columns are ${columns.join(', ')}.`,
    });
  }
}
