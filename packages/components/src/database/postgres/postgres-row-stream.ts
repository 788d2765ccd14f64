import type { RecordChunk } from '@headrace/engine';
import { counted, isMemoryError } from '@headrace/engine';
import { readDataRows, type ValueKind } from '@headrace/formats/records/postgres';
import { processZone, SqlTimes } from '@headrace/languages/java/sql';
import { BatchQueue } from '../batch-queue.ts';
import { ColumnValues } from '../column-values.ts';
import type { Row, RowLayout, RowStream, SqlParameter, ValueSettings } from '../database.ts';
import type { DatabaseErrors } from '../database-error.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { PostgresRowDecoder } from './row-decoder.ts';
import { bytesReader } from './value-readers.ts';

/** The size of waiting data at which the server must wait. */
const WAITING_BYTES = 2 * 1024 * 1024;

/** A statement with the placeholders of Postgres, and their values. */
interface Statement {
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
}

/** The rows of a query. The flow control of the connection makes the server wait for a slow reader. */
export class PostgresRowStream implements RowStream {
  readonly columns: readonly string[];
  readonly #connection: PostgresConnection;
  readonly #statement: Statement;
  readonly #kinds: readonly ValueKind[];
  readonly #errors: DatabaseErrors;
  readonly #times = new SqlTimes(processZone());
  readonly #values: ValueSettings;
  #running = false;

  constructor(
    connection: PostgresConnection,
    statement: Statement,
    columns: readonly string[],
    kinds: readonly ValueKind[],
    errors: DatabaseErrors,
    values: ValueSettings,
  ) {
    this.#values = values;
    this.#connection = connection;
    this.#statement = statement;
    this.columns = columns;
    this.#kinds = kinds;
    this.#errors = errors;
  }

  async *rows(idColumn: number): AsyncGenerator<readonly Row[]> {
    const values = new ColumnValues(this.#times, this.#values.forms, this.#values.report);
    const readers = this.#kinds.map((kind, i) => bytesReader(kind, values, this.columns[i] as string));
    for await (const { bytes } of this.#pieces()) {
      const rows: Row[] = [];
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      readDataRows(buffer, readers, idColumn, false, (row) => rows.push(row));
      yield rows;
    }
  }

  async *chunks(layout: RowLayout): AsyncGenerator<RecordChunk> {
    const { forms } = this.#values;
    const decoder = PostgresRowDecoder.reference({ layout, kinds: this.#kinds, zone: processZone(), forms });
    let number = 1;
    for await (const { bytes, rows } of this.#pieces()) {
      yield { bytes, decoder, position: number, documents: rows };
      number += rows;
    }
  }

  get invalidTimes(): number {
    return this.#times.invalid;
  }

  get warning(): string | undefined {
    return this.#times.warning;
  }

  async close(): Promise<void> {
    if (this.#running) await this.#connection.close();
  }

  #pieces(): BatchQueue<Piece> {
    const connection = this.#connection;
    let paused = false;
    let received = 0;
    const queue = new BatchQueue<Piece>(
      {
        pause() {
          paused = true;
          connection.pause();
        },
        resume() {
          paused = false;
          connection.resume();
        },
      },
      WAITING_BYTES,
    );
    connection.collector.onRows = (bytes, rows) => {
      received += rows;
      queue.push({ bytes, rows }, bytes.length);
    };
    const silent = () => {
      if (!paused && !connection.waitsForMemory)
        connection.destroy(new Error('the server has been silent for longer than socketTimeout'));
    };
    this.#running = true;
    const { text, parameters } = this.#statement;
    connection.runCollected(text, parameters, silent).then(
      () => {
        this.#finish();
        queue.end();
      },
      (error) => {
        this.#finish();
        const read = `${counted(received, 'row was', 'rows were')} read`;
        queue.fail(isMemoryError(error) ? error : this.#errors.wrap(error, read));
      },
    );
    return queue;
  }

  #finish(): void {
    this.#running = false;
    const { collector } = this.#connection;
    collector.flush();
    collector.onRows = undefined;
  }
}
