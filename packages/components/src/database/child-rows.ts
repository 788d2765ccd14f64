import {
  copyValue,
  counted,
  Double,
  HeadraceError,
  type JsonObject,
  type Logger,
  type Notices,
  RESERVED_FIELDS,
  type Value,
} from '@headrace/engine';
import { byCodePoints, byUnits, type TextOrder } from '@headrace/text-analysis/letters';
import type { Database, Row, RowStream } from './database.ts';
import { columnOf, fieldValue, rowFields } from './row-documents.ts';

/** The name of the query of child rows, and the kind of its database. */
export interface ChildQuery {
  /** The name of the query in the config, for messages. */
  readonly name: string;
  readonly kind: Database['kind'];
  readonly log: Logger;
  readonly notices: Notices;
}

/**
 * Joins the rows of a query to the rows of another query. Both are sorted by their keys and read once, side by side.
 * Only the children of one row are in memory.
 */
export class ChildRows {
  readonly #name: string;
  readonly #textOrder: TextOrder;
  readonly #log: Logger;
  readonly #joinColumn: number;
  readonly #fields: ReturnType<typeof rowFields>;
  readonly #batches: AsyncIterator<readonly Row[]>;
  #batch: readonly Row[] = [];
  #at = 0;
  #ended = false;
  #lastParent: Value | undefined;
  #lastChildren: JsonObject[] = [];
  #lastKey: Value | undefined;
  #orphans = 0;

  /** Throws `HR_CONNECTOR_FAILED` if the query does not have the join column. */
  constructor(stream: RowStream, joinField: string, { name, kind, log, notices }: ChildQuery) {
    const { columns } = stream;
    // The binary order of NVARCHAR in SQL Server compares UTF-16 units. Other databases compare characters.
    this.#textOrder = kind === 'sqlserver' ? byUnits : byCodePoints;
    this.#name = name;
    this.#log = log;
    this.#joinColumn = columnOf(columns, joinField);
    if (this.#joinColumn < 0) {
      throw new HeadraceError('HR_CONNECTOR_FAILED', `${name}: the result has no column ${joinField}, its join field`, {
        hint: `Its columns are ${columns.join(', ')}.`,
      });
    }
    const reserved = columns.filter((column) => RESERVED_FIELDS.has(column.toLowerCase()));
    for (const column of reserved) {
      notices.report('column.reserved', { field: column, hint: name });
      log.warn(
        `${name}: column ${column} is omitted, because the engine has a field with that name; rename it (AS other_name)`,
      );
    }
    this.#fields = rowFields(columns, reserved, -1);
    this.#batches = stream.rows(this.#joinColumn)[Symbol.asyncIterator]();
  }

  /**
   * Returns the children of the row with this key: objects with an id, numbered from 0. Call it with keys in ascending
   * order. Throws `HR_CONNECTOR_FAILED` if the keys, or the rows of the query, are not in ascending order.
   */
  async childrenOf(parent: Value): Promise<JsonObject[]> {
    if (this.#lastParent !== undefined) {
      const order = this.#compare(this.#lastParent, parent);
      // A second row with the same key has the same children.
      if (order === 0) return this.#lastChildren.map((child) => copyValue(child) as JsonObject);
      if (order > 0) throw unsorted('sql', 'its id column');
    }
    const children: JsonObject[] = [];
    for (let row = await this.#current(); row !== undefined; row = await this.#current()) {
      const order = this.#compare(row[this.#joinColumn] as Value, parent);
      if (order > 0) break;
      if (order === 0) children.push(this.#child(row, children.length));
      else this.#orphans++;
      this.#at++;
    }
    this.#lastParent = parent;
    this.#lastChildren = children;
    return children;
  }

  /** Returns the next row with a key, or undefined at the end. */
  async #current(): Promise<Row | undefined> {
    for (;;) {
      for (; this.#at < this.#batch.length; this.#at++) {
        const row = this.#batch[this.#at] as Row;
        const key = row[this.#joinColumn] as Value;
        // A row with NULL matches no key, so it is skipped at any position.
        if (key === null) continue;
        if (this.#lastKey !== undefined && this.#compare(this.#lastKey, key) > 0) {
          throw unsorted(this.#name, 'its join column');
        }
        this.#lastKey = key;
        return row;
      }
      if (this.#ended) return undefined;
      const next = await this.#batches.next();
      if (next.done === true) {
        this.#ended = true;
        if (this.#orphans > 0)
          this.#log.info(`${this.#name}: ${counted(this.#orphans, 'row belongs', 'rows belong')} to no row of sql`);
        return undefined;
      }
      this.#batch = next.value;
      this.#at = 0;
    }
  }

  /** Compares numbers by value and texts by their characters. */
  #compare(a: Value, b: Value): number {
    const [x, y] = [keyOf(a), keyOf(b)];
    if (typeof x === 'string' && typeof y === 'string') return this.#textOrder(x, y);
    if (typeof x === 'string' || typeof y === 'string') {
      throw new HeadraceError(
        'HR_CONNECTOR_FAILED',
        `The join column of ${this.#name} and the id column of sql are of different types`,
        { hint: 'One is a number, the other a text: cast one of them in its query.' },
      );
    }
    if (x < y) return -1;
    return x > y ? 1 : 0;
  }

  #child(row: Row, number: number): JsonObject {
    const child: JsonObject = new Map([['id', String(number)]]);
    for (const field of this.#fields) {
      const value = fieldValue(field, row);
      if (value !== undefined) child.set(field.name, value);
    }
    return child;
  }
}

function unsorted(query: string, column: string): HeadraceError {
  return new HeadraceError('HR_CONNECTOR_FAILED', `The rows of ${query} are not in ascending order of ${column}`, {
    hint: 'Joining needs sorted rows: add ORDER BY. Texts are compared by their characters, so sort them that way: COLLATE "C" in PostgreSQL, COLLATE utf8mb4_bin in MySQL, COLLATE Latin1_General_BIN2 in SQL Server.',
  });
}

function keyOf(value: Value): number | bigint | string {
  if (value instanceof Double) return value.value;
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return String(value);
}
