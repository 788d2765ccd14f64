import type { Connection, Table } from '@lancedb/lancedb';
import type { Schema } from 'apache-arrow';
import { type DeliveryFailure, NO_ANSWER, type Reply } from 'headrace/delivery';
import { type Family, HeadraceError, messageOf, readDocument } from 'headrace/engine';
import type { StoreTarget } from '../store/store-writer.ts';
import { misfitOf, type NewColumns, RowConverter, schemaOf } from './lance-columns.ts';
import { type LanceLibrary, loadLance } from './lance-library.ts';

/** The status of a document that does not fit the table. */
const BAD_DOCUMENT = 400;
/** Errors that may not happen again: other writers, disks, object stores. */
const TEMPORARY = /conflict|concurrent|IO ?Error|object.store|timed? ?out|No space|too many/i;
/** The most ids in one condition. */
const MAX_IDS = 500;
/** Each batch adds files. After this many, reading gets slow. */
const MAX_BATCHES = 20;

export interface LanceSettings {
  /** The absolute path of a folder, or the URI of an object store. */
  readonly uri: string;
  readonly table: string;
  readonly vectorField: string;
  readonly storageOptions: Readonly<Record<string, string>>;
  /** The columns of a new table; undefined if the table must exist. */
  readonly columns: NewColumns | undefined;
}

/** A table of LanceDB. */
export class LanceTarget implements StoreTarget {
  readonly #library: LanceLibrary;
  readonly #connection: Connection;
  readonly #table: Table;
  readonly #schema: Schema;
  readonly #rows: RowConverter;
  #batches = 0;

  private constructor(library: LanceLibrary, connection: Connection, table: Table, schema: Schema, rows: RowConverter) {
    this.#library = library;
    this.#connection = connection;
    this.#table = table;
    this.#schema = schema;
    this.#rows = rows;
  }

  /** Opens the table, or creates it. Throws `HR_INDEXER_CONNECT` if it does not fit. */
  static async open({ uri, table: name, vectorField, storageOptions, columns }: LanceSettings): Promise<LanceTarget> {
    const library = await loadLance();
    let connection: Connection | undefined;
    try {
      connection = await library.lance.connect(uri, { storageOptions });
      const exists = (await connection.tableNames({ limit: 1_000_000 })).includes(name);
      if (!exists && columns === undefined) {
        throw new HeadraceError('HR_INDEXER_CONNECT', `LanceDB has no table ${name} in ${uri}`, {
          hint: 'Create it, or set dimensions to let the run create it.',
        });
      }
      const table = exists
        ? await connection.openTable(name)
        : await connection.createEmptyTable(name, schemaOf(library, columns as NewColumns), { existOk: true });
      const schema = await table.schema();
      const misfit = columns === undefined ? undefined : misfitOf(library, schema, columns);
      if (misfit !== undefined) {
        throw new HeadraceError('HR_INDEXER_CONNECT', `The table ${name} of LanceDB in ${uri} exists, and ${misfit}`, {
          hint: 'Correct the block lancedb, choose another table, or delete this one to let the run create it.',
        });
      }
      return new LanceTarget(library, connection, table, schema, new RowConverter(library, schema, vectorField));
    } catch (error) {
      connection?.close();
      if (error instanceof HeadraceError) throw error;
      throw new HeadraceError('HR_INDEXER_CONNECT', `LanceDB in ${uri}: ${messageOf(error)}`, {
        cause: error,
        hint: 'lancedb.path must name a folder that the run may write, or an object store with its credentials in storageOptions.',
      });
    }
  }

  async upload(objects: readonly Uint8Array[]): Promise<Reply> {
    const items = new Map<number, DeliveryFailure>();
    const rows: Record<string, unknown>[] = [];
    for (const [i, object] of objects.entries()) {
      try {
        rows.push(this.#rows.row(readDocument(Buffer.from(object).toString())));
      } catch (error) {
        items.set(i, { status: BAD_DOCUMENT, message: messageOf(error), retryable: false });
      }
    }
    if (rows.length === 0) return { items };
    return this.#changed(items, async () => {
      const data = this.#library.lance.makeArrowTable(rows, { schema: this.#schema });
      await this.#table.mergeInsert('id').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(data);
    });
  }

  remove(ids: readonly string[]): Promise<Reply> {
    return this.#changed(new Map(), () => this.#removeAll(ids));
  }

  removeChildren(families: readonly Family[], field: string): Promise<Reply> {
    return this.#changed(new Map(), async () => {
      const old: string[] = [];
      for (const { parent, children } of families) {
        const found = await this.#table
          .query()
          .where(`${quotedName(field)} = ${quoted(parent)}`)
          .select(['id'])
          .toArray();
        const kept = new Set(children);
        for (const { id } of found as { id: string }[]) if (!kept.has(id)) old.push(id);
      }
      await this.#removeAll(old);
    });
  }

  async close(): Promise<void> {
    try {
      if (this.#batches >= MAX_BATCHES) await this.#table.optimize();
    } finally {
      this.#table.close();
      this.#connection.close();
    }
  }

  async #removeAll(ids: readonly string[]): Promise<void> {
    for (let from = 0; from < ids.length; from += MAX_IDS) {
      await this.#table.delete(
        `id IN (${ids
          .slice(from, from + MAX_IDS)
          .map(quoted)
          .join(', ')})`,
      );
    }
  }

  async #changed(items: ReadonlyMap<number, DeliveryFailure>, work: () => Promise<void>): Promise<Reply> {
    this.#batches++;
    try {
      await work();
      return { items };
    } catch (error) {
      const message = `LanceDB refused the documents: ${messageOf(error)}`;
      return { refused: { status: TEMPORARY.test(message) ? NO_ANSWER : BAD_DOCUMENT, message } };
    }
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function quotedName(name: string): string {
  return `\`${name}\``;
}
