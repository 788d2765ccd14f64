import { HeadraceError, type Value } from '@headrace/engine';
import type { Database, DatabaseConnection } from '../database/database.ts';

/** The settings that select the table and its columns. */
export interface TableSettings {
  /** The name as in SQL: `schema.table`, in double quotes where needed. */
  readonly table: string;
  readonly idColumn: string;
  /** The columns to write; undefined: all, but columns with a default only if a document has the field. */
  readonly columns: readonly string[] | undefined;
  /** The column for the whole document. */
  readonly documentColumn: string | undefined;
  /** Other columns that the table must have. */
  readonly required: readonly string[];
}

/** A column to write. */
interface Column {
  readonly name: string;
  /** The type as in a definition: `character varying(20)`. */
  readonly type: string;
  readonly kind: 'plain' | 'array' | 'bytes' | 'document';
}

const COLUMNS = `
  select a.attname, format_type(a.atttypid, a.atttypmod), t.typcategory = 'A', a.atttypid = 'bytea'::regtype,
    a.attgenerated <> '' or a.attidentity = 'a', a.atthasdef or a.attidentity <> '',
    exists (select from pg_catalog.pg_index i where i.indrelid = a.attrelid and i.indisunique and i.indpred is null
      and i.indnkeyatts = 1 and i.indkey[0] = a.attnum),
    a.attrelid::regclass::text
  from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
  where a.attrelid = to_regclass(?) and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

/**
 * Creates the statements that write to a table and delete from it. The server parses the JSON, because it knows the
 * types of the columns.
 */
export class PostgresTable {
  /** Columns that keep their default if a document lacks the field. */
  readonly optional: readonly string[];
  /** The statement that deletes the rows with a list of ids. */
  readonly deleteIds: string;
  readonly #name: string;
  readonly #idColumn: string;
  readonly #columns: readonly Column[];
  /** The upsert statements, by their optional columns. */
  readonly #upserts = new Map<string, string>();
  readonly #types: ReadonlyMap<string, { readonly type: string; readonly isArray: boolean }>;

  private constructor(
    name: string,
    idColumn: string,
    columns: readonly Column[],
    optional: readonly string[],
    types: ReadonlyMap<string, { readonly type: string; readonly isArray: boolean }>,
  ) {
    this.#name = name;
    this.#idColumn = idColumn;
    this.#columns = columns;
    this.optional = optional;
    this.#types = types;
    const key = quoteName(idColumn);
    this.deleteIds = counted(
      `delete from ${name} as t using (select distinct v from json_array_elements_text(?::json) as e(v)) as d
       where t.${key} = d.v::${types.get(idColumn)?.type}`,
    );
  }

  /** Reads the definition of the table. Throws `HR_INDEXER_CONNECT` if the settings do not match the table. */
  static async read(
    connection: DatabaseConnection,
    { driver, name: databaseName }: Database,
    settings: TableSettings,
  ): Promise<PostgresTable> {
    const { table, idColumn, columns, documentColumn, required } = settings;
    const { rows } = await connection.query(driver.prepare(COLUMNS), [table]);
    const fail = (message: string, hint: string) =>
      new HeadraceError('HR_INDEXER_CONNECT', `${databaseName}: ${message}`, { hint });
    if (rows.length === 0)
      throw fail(`there is no table ${table}`, 'Create it, or quote a name with capitals: "Articles".');
    const all = new Map(rows.map((row) => [row[0] as string, row]));
    const needed = [idColumn, documentColumn, ...(columns ?? []), ...required];
    const missing = needed.find((name) => name !== undefined && !all.has(name));
    if (missing !== undefined)
      throw fail(`the table ${table} has no column ${missing}`, `Its columns are ${[...all.keys()].join(', ')}.`);
    if (all.get(idColumn)?.[6] !== true)
      throw fail(
        `the column ${idColumn} of ${table} is not unique`,
        `Make it the primary key: ALTER TABLE ${table} ADD PRIMARY KEY (${idColumn}).`,
      );
    const isWritten = ([name, , , , isGenerated]: readonly Value[]) => {
      if (name === idColumn || name === documentColumn) return true;
      return columns === undefined ? isGenerated !== true : columns.includes(name as string);
    };
    const isOptional = ([name, , , , , hasDefault]: readonly Value[]) =>
      columns === undefined && hasDefault === true && name !== idColumn && name !== documentColumn;
    const written = rows.filter(isWritten);
    return new PostgresTable(
      rows[0]?.[7] as string,
      idColumn,
      written.map((row) => columnOf(row, documentColumn)),
      written.filter(isOptional).map(([name]) => name as string),
      new Map(
        rows.map(([name, type, isArray]) => [name as string, { type: type as string, isArray: isArray === true }]),
      ),
    );
  }

  /**
   * Returns the statement that writes a list of objects; of several objects with the same id, the last one is written.
   * @param given the optional columns to write
   */
  upsert(given: readonly string[]): string {
    const signature = JSON.stringify(given);
    let statement = this.#upserts.get(signature);
    if (statement === undefined) {
      const columns = this.#columns.filter(({ name }) => !this.optional.includes(name) || given.includes(name));
      statement = upsertStatement(this.#name, this.#idColumn, columns);
      this.#upserts.set(signature, statement);
    }
    return statement;
  }

  /**
   * Returns the statement that deletes the rows with a value in a column; undefined if the table has no such column.
   */
  deleteBy(column: string): string | undefined {
    const known = this.#types.get(column);
    if (known === undefined) return undefined;
    const name = quoteName(column);
    const condition = known.isArray ? `?::text = any(${name}::text[])` : `${name} = (?::text)::${known.type}`;
    return counted(`delete from ${this.#name} where ${condition}`);
  }

  /**
   * Returns the statement that deletes old children: its parameter is a list of objects with a parent, and the ids of
   * its children. Throws `HR_INDEXER_CONNECT` if the table has no such column.
   */
  deleteOldChildren(column: string): string {
    const type = this.#types.get(column)?.type;
    if (type !== undefined) {
      return oldChildrenStatement(this.#name, quoteName(this.#idColumn), quoteName(column), type);
    }
    const message = `the table ${this.#name} has no column ${column}, which indexer.childrenField names`;
    throw new HeadraceError('HR_INDEXER_CONNECT', message, { hint: 'Add the column, with an index.' });
  }
}

/** Returns the statement that deletes rows of parents that are not among the children of these parents. */
function oldChildrenStatement(table: string, id: string, parent: string, type: string): string {
  return `with f as materialized (select v ->> 'parent' as parent, v -> 'children' as children
      from json_array_elements(?::json) as e(v)),
    c as materialized (select parent, json_array_elements_text(children) as id from f),
    changed as (delete from ${table} as t using f where t.${parent} = f.parent::${type}
      and not exists (select from c where c.parent = f.parent and c.id = t.${id}::text) returning 1)
    select count(*) from changed`;
}

function columnOf([name, type, isArray, isBytes]: readonly Value[], documentColumn: string | undefined): Column {
  const kind = name === documentColumn ? 'document' : isArray === true ? 'array' : isBytes === true ? 'bytes' : 'plain';
  return { name: name as string, type: type as string, kind };
}

function upsertStatement(table: string, idColumn: string, columns: readonly Column[]): string {
  const key = quoteName(idColumn);
  const names = columns.map(({ name }) => quoteName(name));
  const plain = columns.filter(({ kind }) => kind === 'plain').map(({ name, type }) => `${quoteName(name)} ${type}`);
  const updates = names.filter((name) => name !== key).map((name) => `${name} = excluded.${name}`);
  const id = `doc ->> ${quoteText(idColumn)}`;
  return counted(
    `insert into ${table} (${names.join(', ')})
     select ${columns.map(expression).join(', ')}
     from (select distinct on (${id}) doc from json_array_elements(?::json) with ordinality as d(doc, n)
       order by ${id}, n desc) as latest
     cross join lateral json_to_record(doc) as r(${plain.join(', ')})
     on conflict (${key}) do ${updates.length === 0 ? 'nothing' : `update set ${updates.join(', ')}`}`,
  );
}

/** Returns the expression for a column. `doc` is the JSON object, `r` the record that the server parsed from it. */
function expression({ name, type, kind }: Column): string {
  const member = `doc -> ${quoteText(name)}`;
  const text = `doc ->> ${quoteText(name)}`;
  switch (kind) {
    case 'plain':
      return `r.${quoteName(name)}`;
    case 'document':
      return `doc::${type}`;
    case 'bytes':
      return `decode(${text}, 'base64')`;
    case 'array':
      // A single value becomes a list of one value.
      return `case when json_typeof(${member}) = 'array'
        then array(select v from json_array_elements_text(${member}) with ordinality as e(v, n) order by n)::${type}
        when ${text} is not null then array[${text}]::${type} end`;
  }
}

/** Wraps a statement so that it returns the number of changed rows. */
function counted(statement: string): string {
  return `with changed as (${statement} returning 1) select count(*) from changed`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quoteText(text: string): string {
  // The meaning of a backslash depends on a server setting, except in this form.
  return text.includes('\\')
    ? ` E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;
}
