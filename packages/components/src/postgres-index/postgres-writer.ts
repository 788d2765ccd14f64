import {
  BatchBytes,
  Delivery,
  type Destination,
  type EncodedBatch,
  type Family,
  FamilyDelivery,
  type IndexFailure,
  NO_ANSWER,
  type Reply,
  RequestSize,
  type Retries,
} from '@headrace/engine';
import type { Database, DatabaseConnection, SqlParameter } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { blamedField } from './blamed-field.ts';
import { DELETE, DELETE_BY, WRITE } from './postgres-encoder.ts';
import { PostgresTable, type TableSettings } from './postgres-table.ts';
import { upsertGroups } from './upsert-groups.ts';

/** The status of errors in a statement or its values. */
const BAD_STATEMENT = 400;
/** The status of a failed statement whose values may or may not be the cause. */
const FAILED_STATEMENT = 500;
/** The SQLSTATEs for that status: rights and tables (42, 55), the system and the server itself (58, F0, XX). */
const NOT_OF_VALUES = /^(42|55|58|F0|XX)/;
/** The status of a rejected login. */
const REFUSED = 401;

/** A statement and its parameter. */
interface Command {
  readonly sql: string;
  readonly parameter: SqlParameter;
}

/**
 * Writes batches of `PostgresEncoder` to a table. Consecutive rows of the same operation share a statement, and all
 * statements of a batch share a transaction.
 */
export class PostgresWriter {
  readonly #database: Database;
  readonly #settings: TableSettings;
  readonly #delivery: Delivery;
  readonly #families: FamilyDelivery;
  readonly #childrenField: string | undefined;
  #connection: DatabaseConnection | undefined;
  #table: PostgresTable | undefined;

  /** @param childrenField the column with the id of the parent, if old children are deleted */
  constructor(database: Database, settings: TableSettings, retries: Retries, childrenField?: string) {
    this.#database = database;
    this.#settings = settings;
    this.#delivery = new Delivery(retries, new RequestSize());
    this.#families = new FamilyDelivery(retries, false);
    this.#childrenField = childrenField;
  }

  /** Opens the connection and reads the definition of the table. */
  async connect(): Promise<void> {
    this.#connection = await this.#database.driver.connect();
    try {
      this.#table = await PostgresTable.read(this.#connection, this.#database, this.#settings);
      if (this.#childrenField !== undefined) this.#table.deleteOldChildren(this.#childrenField);
    } catch (error) {
      await this.#discard(this.#connection);
      throw error;
    }
  }

  write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const field = this.#childrenField;
    if (field === undefined) return this.#write(batch, signal);
    const remove = (families: readonly Family[]) => {
      const list = families.map(({ parent, children }) => ({ parent, children }));
      const parameter = JSON.stringify(list);
      return this.#attempt(() => [{ sql: (this.#table as PostgresTable).deleteOldChildren(field), parameter }]);
    };
    return this.#families.write(batch, signal, (documents) => this.#write(documents, signal), remove);
  }

  #write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const bytes = new BatchBytes(batch);
    const destination: Destination = {
      partial: false,
      http: false,
      // A batch is accepted or rejected as a whole, so the ids are sufficient as keys.
      key: (position) => batch.ids()[position] as string,
      length: (position) => bytes.length(position),
      isolates: (status) => status === BAD_STATEMENT || status === FAILED_STATEMENT,
      request: (positions) => this.#request(positions.map((position) => bytes.document(position))),
    };
    const positions = Array.from({ length: batch.count }, (_, i) => i);
    return this.#delivery.deliver(positions, destination, signal);
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  async #request(lines: readonly Buffer[]): Promise<Reply> {
    const reply = await this.#attempt(() => this.#commands(lines));
    if ('items' in reply) return reply;
    const { message } = reply.refused;
    return { refused: { ...reply.refused, message: `${message}${blame(lines, message)}` } };
  }

  async #attempt(commandsOf: () => readonly Command[]): Promise<Reply> {
    try {
      const commands = commandsOf();
      if (this.#connection === undefined || this.#connection.broken) {
        await this.#connection?.close();
        this.#connection = await this.#database.driver.connect();
      }
      await this.#run(this.#connection, commands);
      return { items: new Map() };
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      const { trouble, message, driverCode } = error;
      if (trouble === 'statement') {
        const status = NOT_OF_VALUES.test(driverCode) ? FAILED_STATEMENT : BAD_STATEMENT;
        return { refused: { status, message, retryable: false } };
      }
      if (trouble === 'refused') return { refused: { status: REFUSED, message, retryable: false } };
      return { refused: { status: NO_ANSWER, message } };
    }
  }

  async #run(connection: DatabaseConnection, commands: readonly Command[]): Promise<void> {
    const { driver } = this.#database;
    const together = commands.length > 1;
    if (together) await connection.execute('begin');
    try {
      for (const { sql, parameter } of commands) await connection.query(driver.prepare(sql), [parameter]);
      if (together) await connection.execute('commit');
    } catch (error) {
      // A lost connection ends its transaction. A connection that cannot roll back is closed for the same effect.
      if (together && !connection.broken) await connection.execute('rollback').catch(() => this.#discard(connection));
      throw error;
    }
  }

  async #discard(connection: DatabaseConnection): Promise<void> {
    this.#connection = undefined;
    await connection.close();
  }

  /** Returns the statements for lines of `PostgresEncoder`, in order. */
  #commands(lines: readonly Buffer[]): Command[] {
    // The engine calls `connect` first.
    const table = this.#table as PostgresTable;
    const commands: Command[] = [];
    for (let i = 0; i < lines.length; ) {
      const action = actionOf(lines[i] as Buffer);
      if (action === DELETE_BY) {
        commands.push(this.#deleteBy(table, lines[i++] as Buffer));
        continue;
      }
      const texts: string[] = [];
      for (; i < lines.length && actionOf(lines[i] as Buffer) === action; i++) texts.push(jsonOf(lines[i] as Buffer));
      if (action === DELETE) {
        commands.push({ sql: table.deleteIds, parameter: listOf(texts) });
        continue;
      }
      for (const { given, texts: some } of upsertGroups(texts, this.#settings.idColumn, table.optional)) {
        commands.push({ sql: table.upsert(given), parameter: listOf(some) });
      }
    }
    return commands;
  }

  #deleteBy(table: PostgresTable, line: Buffer): Command {
    const [column, value] = JSON.parse(jsonOf(line)) as [string, string];
    const sql = table.deleteBy(column);
    if (sql !== undefined) return { sql, parameter: value };
    const message = `${this.#database.name}: the table ${this.#settings.table} has no column ${column} to delete by`;
    throw new DatabaseError('statement', message, undefined);
  }
}

/** Names the field that caused an error, if the document was sent alone and the field is known. */
function blame(lines: readonly Buffer[], message: string): string {
  const [line] = lines;
  if (line === undefined || lines.length > 1 || actionOf(line) !== WRITE) return '';
  const blamed = blamedField(jsonOf(line), message);
  return blamed === undefined ? '' : ` (the field ${blamed})`;
}

function actionOf(line: Buffer): string {
  return String.fromCharCode(line[0] as number);
}

function listOf(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}

function jsonOf(line: Buffer): string {
  return line.toString('utf8', 1, line.length - 1);
}
