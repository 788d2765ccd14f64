import { type CheckResult, counted, type FinishedOutput, messageOf, parseJson } from '@headrace/engine';
import { ForeignRows } from './foreign-rows.ts';
import { type ForeignWrites, foreignCheck } from './live-writes.ts';
import { ReindexError } from './reindex-error.ts';
import { inTransaction, quoteName, quoteText, type SqlSession } from './sql-session.ts';
import { runTableChecks } from './table-checks.ts';
import { columnsOf, createVectorIndexes, requireVectors, type TableDefinition } from './table-definition.ts';
import type { Checks, FinishedRun, Log } from './types.ts';

/** What a rebuild of a table does. */
export interface TableRebuildPlan {
  /** The name of the table as in SQL. */
  readonly table: string;
  /** How many older tables are kept. */
  readonly keep: number;
  readonly checks: Checks;
  readonly foreignWrites: ForeignWrites;
  /** The block `create`. Undefined if the new table is like the existing one. */
  readonly definition: TableDefinition | undefined;
}

/** What a rebuild stores in the comment of a table. */
interface TableMark {
  /** The name of the table that it replaces, without the schema. */
  readonly headrace: string;
  readonly run: string;
  readonly state: 'building' | 'live' | 'old';
}

/** The length of a name in Postgres, and of the end that a rebuild adds. */
const NAME_LENGTH = 63;
const SUFFIX_LENGTH = 20;

/** Builds a new table in one run, and gives it the name of the old table in one transaction. */
export class TableRebuild {
  readonly #plan: TableRebuildPlan;
  readonly #runId: string;
  readonly #log: Log;
  readonly #suffix = `__${new Date().toISOString().replace(/[-:.TZ]/g, '')}`;
  #session: SqlSession | undefined;
  #place: Place = { schema: '', name: '' };
  /** Whether the new table exists and has not replaced the old one. */
  #isBuilding = false;
  #foreign: ForeignRows | undefined;

  constructor(plan: TableRebuildPlan, runId: string, log: Log) {
    this.#plan = plan;
    this.#runId = runId;
    this.#log = log;
  }

  /**
   * Removes what killed rebuilds left, and creates the new table. Returns its name as in SQL. Throws if another rebuild
   * of the table is running.
   */
  async begin(session: SqlSession): Promise<string> {
    this.#session = session;
    this.#place = await placeOf(session, this.#plan.table);
    const { schema, name } = this.#place;
    if (!(await locked(session, this.#place))) {
      throw new ReindexError(
        `Another rebuild of ${schema}.${name} is running`,
        'Wait until it has ended, or cancel it.',
      );
    }
    for (const { table, mark } of await markedTables(session, this.#place)) {
      if (mark.state !== 'building') continue;
      await session.execute(`DROP FUNCTION IF EXISTS ${inSchema(schema, table)}() CASCADE`);
      await session.execute(`DROP TABLE ${inSchema(schema, table)}`);
      this.#log.info(`Removed the table ${table}, which a rebuild left`);
    }
    const live = await liveTable(session, this.#place);
    if (live) await refuseDependents(session, this.#place);
    await this.#create(live);
    this.#isBuilding = true;
    this.#log.info(`Building the table ${this.#building} for ${schema}.${name}`);
    return this.#building;
  }

  /** Begins to count what others change in the live table. Call it when the runs of this process no longer write to it. */
  async watch(): Promise<void> {
    const session = this.#session as SqlSession;
    const { schema, name } = this.#place;
    if (await liveTable(session, this.#place)) {
      this.#foreign = new ForeignRows(session, schema, withSuffix(name, `${this.#suffix}_rows`));
      await this.#foreign.watch(inSchema(schema, name), this.#markOf('building'));
    }
  }

  /** Checks the new table and puts it in the place of the old one, unless a check fails or the run is cancelled. */
  async finish(run: FinishedRun, signal: AbortSignal): Promise<FinishedOutput> {
    const session = this.#session as SqlSession;
    const { schema, name } = this.#place;
    const { definition, checks: wanted, keep } = this.#plan;
    if (definition !== undefined) await createVectorIndexes(session, this.#building, definition, this.#log);
    await session.execute(`ANALYZE ${this.#building}`);
    const live = (await liveTable(session, this.#place)) ? inSchema(schema, name) : undefined;
    const checks = await runTableChecks({ session, table: this.#building, live, checks: wanted, run });
    if (checks.some(({ outcome }) => outcome === 'failed')) return { checks };
    const old = withSuffix(name, `${this.#suffix}_old`);
    await inTransaction(session, async () => {
      if (live !== undefined) {
        await session.execute(`LOCK TABLE ${live} IN ACCESS EXCLUSIVE MODE`);
        const foreign = await this.#checkForeign();
        checks.push(foreign);
        if (foreign.outcome === 'failed') return;
        await this.#foreign?.remove();
        await session.execute(`ALTER TABLE ${live} RENAME TO ${quoteName(old)}`);
        await setState(session, this.#place, old, 'old');
      }
      // The indexes, the checks and the wait for other sessions may have taken long.
      signal.throwIfAborted();
      await session.execute(`ALTER TABLE ${this.#building} RENAME TO ${quoteName(name)}`);
      await this.#mark(inSchema(schema, name), 'live');
    });
    if (checks.some(({ outcome }) => outcome === 'failed')) return { checks };
    this.#isBuilding = false;
    this.#log.info(`The table ${schema}.${name} was replaced`);
    try {
      await this.#prune(keep);
    } catch (error) {
      this.#log.warn(`The next run removes old tables of ${schema}.${name}: ${messageOf(error)}`);
    }
    return { checks, ...(live === undefined ? {} : { replaced: old }) };
  }

  /** Says what is left of a failed run. */
  async fail(): Promise<void> {
    if (!this.#isBuilding) return;
    const { schema, name } = this.#place;
    const building = withSuffix(name, this.#suffix);
    try {
      await this.#foreign?.remove();
      const isThere = await liveTable(this.#session as SqlSession, { schema, name: building });
      const left = isThere ? `The next run removes the table ${this.#building}` : `${this.#building} was deleted`;
      this.#log.warn(`The table ${schema}.${name} was not replaced. ${left}`);
    } catch (error) {
      this.#log.warn(`Whether the table ${this.#building} was left is not known: ${messageOf(error)}`);
    }
  }

  get #building(): string {
    return inSchema(this.#place.schema, withSuffix(this.#place.name, this.#suffix));
  }

  async #create(isLike: boolean): Promise<void> {
    const session = this.#session as SqlSession;
    const { definition, table } = this.#plan;
    if (definition !== undefined) await requireVectors(session, definition);
    else if (!isLike) {
      throw new ReindexError(`There is no table ${table}`, 'Create it, or add a block create with its columns.');
    }
    const live = inSchema(this.#place.schema, this.#place.name);
    const content = definition === undefined ? `LIKE ${live} INCLUDING ALL` : columnsOf(definition).join(', ');
    await inTransaction(session, async () => {
      await session.execute(`CREATE TABLE ${this.#building} (${content})`);
      await this.#mark(this.#building, 'building');
      if (isLike) await copyRights(session, live, this.#building);
    });
  }

  async #mark(table: string, state: TableMark['state']): Promise<void> {
    await (this.#session as SqlSession).execute(`COMMENT ON TABLE ${table} IS ${quoteText(this.#markOf(state))}`);
  }

  #markOf(state: TableMark['state']): string {
    const mark: TableMark = { headrace: this.#place.name, run: this.#runId, state };
    return JSON.stringify(mark);
  }

  /** Checks whether others have changed the live table. Call it when the table is locked. */
  async #checkForeign(): Promise<CheckResult> {
    const rows = (await this.#foreign?.count()) ?? 0;
    const { schema, name } = this.#place;
    const changed = `${counted(rows, 'changed row')} of ${schema}.${name}, which the new table lacks`;
    const found = rows === 0 ? 'none' : changed;
    return foreignCheck(rows > 0, found, this.#plan.foreignWrites, this.#log);
  }

  async #prune(keep: number): Promise<void> {
    const session = this.#session as SqlSession;
    const old = (await markedTables(session, this.#place)).filter(({ mark }) => mark.state === 'old');
    for (const { table } of old.slice(keep)) {
      await session.execute(`DROP TABLE ${inSchema(this.#place.schema, table)}`);
      this.#log.info(`Removed the old table ${table}`);
    }
  }
}

/**
 * Gives the newest old table its name back, in one transaction. The replaced table is removed by the next rebuild.
 * @param runId the run to undo. Throws if the table is not the one of this run. Undefined for any run
 */
export async function rollBackTable(session: SqlSession, table: string, runId: string | undefined): Promise<string> {
  const place = await placeOf(session, table);
  const { schema, name } = place;
  if (!(await locked(session, place))) {
    const hint = 'Wait until it has ended, or cancel it, and then roll back.';
    throw new ReindexError(`A rebuild of ${schema}.${name} is running`, hint);
  }
  const marked = await markedTables(session, place);
  const current = marked.find((one) => one.table === name);
  if (runId !== undefined && current?.mark.run !== runId) {
    const hint = 'Only the run whose table is in use can be rolled back.';
    throw new ReindexError(`The table ${schema}.${name} is not the one of the run ${runId}`, hint);
  }
  const old = marked.find(({ mark }) => mark.state === 'old');
  if (old === undefined || current === undefined) {
    throw new ReindexError(
      `There is no older table that ${schema}.${name} has replaced`,
      'rebuild.keep says how many old tables are kept.',
    );
  }
  const replaced = withSuffix(old.table.replace(/_old$/, ''), '_back');
  await inTransaction(session, async () => {
    const live = inSchema(schema, name);
    await session.execute(
      `LOCK TABLE ${live} IN ACCESS EXCLUSIVE MODE; ALTER TABLE ${live} RENAME TO ${quoteName(replaced)}`,
    );
    await setState(session, place, replaced, 'building');
    await session.execute(`ALTER TABLE ${inSchema(schema, old.table)} RENAME TO ${quoteName(name)}`);
    await setState(session, place, name, 'live');
  });
  return `The table ${schema}.${name} is ${old.table} again, which replaces the table of the run ${current.mark.run}`;
}

/** Returns what identifies a table: its server and database, and its schema and name. Both are the same in each session. */
export async function tableIdentity(session: SqlSession, table: string): Promise<{ place: string; name: string }> {
  const [row] = await session.query(
    `SELECT pg_postmaster_start_time()::text || ' ' || current_database() || ' ' || coalesce(inet_server_port(), 0)`,
  );
  const { schema, name } = await placeOf(session, table);
  return { place: `${session.name} ${row?.[0]}`, name: `${schema}.${name}` };
}

interface Place {
  readonly schema: string;
  readonly name: string;
}

/**
 * Tries to take the lock of a rebuild, which is held until the session ends, also if the process is killed. Returns false
 * if another session has it.
 */
async function locked(session: SqlSession, { schema, name }: Place): Promise<boolean> {
  const [row] = await session.query('SELECT pg_try_advisory_lock(hashtextextended(?, 20))', [`${schema}.${name}`]);
  return row?.[0] === true;
}

/** Returns the schema and the name of a table that may not exist. */
async function placeOf(session: SqlSession, table: string): Promise<Place> {
  const [row] = await session.query(
    `SELECT coalesce(n.nspname, part[array_length(part, 1) - 1], current_schema()), part[array_length(part, 1)]
      FROM (SELECT parse_ident(?) AS part) AS p LEFT JOIN pg_catalog.pg_class c ON c.oid = to_regclass(?)
      LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace`,
    [table, table],
  );
  const [schema, name] = row as [string, string];
  return { schema, name };
}

function inSchema(schema: string, name: string): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

function withSuffix(name: string, suffix: string): string {
  return name.slice(0, NAME_LENGTH - Math.max(suffix.length, SUFFIX_LENGTH)) + suffix;
}

async function liveTable(session: SqlSession, { schema, name }: Place): Promise<boolean> {
  const [row] = await session.query('SELECT to_regclass(?)::text', [inSchema(schema, name)]);
  return typeof row?.[0] === 'string';
}

/** Returns the tables that rebuilds of a table have made, the newest first. The table that users made is not marked. */
async function markedTables(session: SqlSession, { schema, name }: Place) {
  const rows = await session.query(
    `SELECT c.relname, obj_description(c.oid, 'pg_class') FROM pg_catalog.pg_class c
      JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ? AND c.relkind = 'r' AND obj_description(c.oid, 'pg_class') LIKE '{"headrace":%'
      ORDER BY c.relname DESC`,
    [schema],
  );
  return rows
    .map(([table, comment]) => ({ table: table as string, mark: parseJson(comment as string) as TableMark }))
    .filter(({ mark }) => mark.headrace === name);
}

/** Changes the state of a table in its comment. A table that users made gets a mark. */
async function setState(session: SqlSession, { schema, name }: Place, table: string, state: TableMark['state']) {
  const [row] = await session.query(`SELECT obj_description(to_regclass(?), 'pg_class')`, [inSchema(schema, table)]);
  const comment = row?.[0];
  const isMark = typeof comment === 'string' && comment.startsWith('{"headrace":');
  const mark = isMark ? (parseJson(comment) as TableMark) : { run: '' };
  const changed = JSON.stringify({ headrace: name, run: mark.run, state });
  await session.execute(`COMMENT ON TABLE ${inSchema(schema, table)} IS ${quoteText(changed)}`);
}

/** Throws if views, foreign keys, policies or triggers belong to the table: they would stay with the old one. */
async function refuseDependents(session: SqlSession, { schema, name }: Place): Promise<void> {
  const table = inSchema(schema, name);
  const rows = await session.query(
    `SELECT DISTINCT 'the view ' || r.ev_class::regclass::text FROM pg_catalog.pg_depend d
      JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid
      WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid = to_regclass(?) AND r.ev_class <> d.refobjid
    UNION ALL SELECT 'the foreign key ' || conname FROM pg_catalog.pg_constraint
      WHERE contype = 'f' AND (confrelid = to_regclass(?) OR conrelid = to_regclass(?))
    UNION ALL SELECT 'the policy ' || polname FROM pg_catalog.pg_policy WHERE polrelid = to_regclass(?)
    UNION ALL SELECT 'the trigger ' || tgname FROM pg_catalog.pg_trigger WHERE tgrelid = to_regclass(?) AND NOT tgisinternal`,
    [table, table, table, table, table],
  );
  if (rows.length === 0) return;
  throw new ReindexError(
    `rebuild cannot replace the table ${schema}.${name}: ${rows.map(([what]) => what).join(', ')} would stay with the old table`,
    'Remove them, or remove rebuild and use sync.',
  );
}

async function copyRights(session: SqlSession, from: string, to: string): Promise<void> {
  const rows = await session.query(
    `SELECT format('GRANT %s ON %s TO %s%s', a.privilege_type, ?::text,
        CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(a.grantee::regrole::text) END,
        CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
      FROM pg_catalog.pg_class c, aclexplode(c.relacl) a WHERE c.oid = to_regclass(?) AND a.grantee <> c.relowner`,
    [to, from],
  );
  for (const [grant] of rows) await session.execute(grant as string);
}
