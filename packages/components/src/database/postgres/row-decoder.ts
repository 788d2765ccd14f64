import { Document, type ModuleReference, type RecordDecoder, type RecordSink, type Value } from '@headrace/engine';
import { type BytesReader, readDataRows, type ValueKind } from '@headrace/formats/records/postgres';
import { SqlTimes } from '@headrace/languages/java/sql';
import { ColumnValues, type ValueForms } from '../column-values.ts';
import type { RowLayout } from '../database.ts';
import { RowDocuments } from '../row-documents.ts';
import { bytesReader } from './value-readers.ts';

/** The options that are equal for all chunks of a result. They are plain data. */
export interface PostgresRowOptions {
  readonly layout: RowLayout;
  /** The kind of each column. */
  readonly kinds: readonly ValueKind[];
  /** The zone of dates and times without an offset. */
  readonly zone: string;
  readonly forms: ValueForms;
}

/** The number of the first row of a chunk, counted from 1. */
export type PostgresRowPosition = number;

/** Creates documents from rows in the form that Postgres sends. */
export class PostgresRowDecoder implements RecordDecoder {
  readonly #documents: RowDocuments;
  readonly #readers: readonly (BytesReader<Value> | undefined)[];
  readonly #times: SqlTimes;
  readonly #source: string;
  #warned = false;
  /** The sink of the current call. */
  #sink: RecordSink | undefined;

  constructor({ layout, kinds, zone, forms }: PostgresRowOptions) {
    this.#documents = new RowDocuments(layout);
    this.#times = new SqlTimes(zone);
    this.#source = layout.source;
    const { used } = this.#documents;
    const values = new ColumnValues(this.#times, forms, (code, details) => this.#sink?.notice(code, details));
    this.#readers = kinds.map((kind, i) =>
      used.has(i) ? bytesReader(kind, values, layout.columns[i] as string) : undefined,
    );
  }

  static reference(options: PostgresRowOptions): ModuleReference {
    return { url: import.meta.url, name: 'PostgresRowDecoder', options };
  }

  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void {
    this.#sink = sink;
    const documents = this.#documents;
    const readers = this.#readers;
    const times = this.#times;
    let number = position as PostgresRowPosition;
    let { invalid } = times;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    readDataRows(buffer, readers, documents.idColumn, true, (row) => {
      const found = times.invalid - invalid;
      if (found > 0) sink.notice('date.omitted', { count: found, hint: `${this.#source}: ${times.warning}` });
      invalid = times.invalid;
      const made = documents.document(row, number++);
      if (made instanceof Document) sink.document(made);
      else sink.reject(made);
    });
    const { warning } = times;
    if (warning !== undefined && !this.#warned) {
      this.#warned = true;
      sink.warn(`${this.#source}: ${warning}`);
    }
  }
}
