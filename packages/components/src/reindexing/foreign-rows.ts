import { inTransaction, quoteName, quoteText, type SqlSession } from './sql-session.ts';

/** How long the rebuild waits for open transactions that write to the table. Meanwhile other writers wait too. */
const LOCK_MILLIS = 60_000;

/**
 * Counts the rows that others change in a live table while it is rebuilt, with triggers. The runs of this process do not
 * write to it meanwhile. Because a trigger belongs to the transaction of its statement, no committed change is missed.
 */
export class ForeignRows {
  readonly #session: SqlSession;
  /** The table of the counts and the function of the triggers have the same name. */
  readonly #name: string;

  /**
   * @param schema the schema of the live table
   * @param name a name that is not in use
   */
  constructor(session: SqlSession, schema: string, name: string) {
    this.#session = session;
    this.#name = `${quoteName(schema)}.${quoteName(name)}`;
  }

  /**
   * Begins to count, when all transactions that have written to the table have ended.
   * @param live the table as in SQL
   * @param mark the comment of the table with the counts, so that the next rebuild finds it
   */
  async watch(live: string, mark: string): Promise<void> {
    const name = this.#name;
    await inTransaction(this.#session, async () => {
      await this.#session.execute(`SET LOCAL lock_timeout = ${LOCK_MILLIS};
        CREATE TABLE ${name} (rows bigint NOT NULL);
        COMMENT ON TABLE ${name} IS ${quoteText(mark)};
        CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS
          $$ BEGIN INSERT INTO ${name} VALUES (1); RETURN NULL; END $$;
        CREATE TRIGGER headrace_rows AFTER INSERT OR UPDATE OR DELETE ON ${live}
          FOR EACH ROW EXECUTE FUNCTION ${name}();
        CREATE TRIGGER headrace_truncate AFTER TRUNCATE ON ${live} FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`);
    });
  }

  /** Returns how many rows were changed. */
  async count(): Promise<number> {
    const [row] = await this.#session.query(`SELECT count(*) FROM ${this.#name}`);
    return Number(row?.[0]);
  }

  /** Removes the triggers first: without their table, they would refuse each change. */
  async remove(): Promise<void> {
    await this.#session.execute(`DROP FUNCTION IF EXISTS ${this.#name}() CASCADE; DROP TABLE IF EXISTS ${this.#name}`);
  }
}
