import type { DatabaseSync } from 'node:sqlite';
import { labelled } from './sqlite-labels.ts';
import { type Prepared, prepareAll } from './sqlite-statements.ts';
import type {
  ConfigFilter,
  ConfigListing,
  ConfigVersion,
  ConfigVersionListing,
  ConfigWrite,
  Page,
  StoredConfig,
} from './store.ts';

/** The configs in the database. Each method reads, or is one step of a transaction. */
export class SqliteConfigs {
  readonly #sql: Prepared<keyof typeof SQL>;
  readonly #db: DatabaseSync;
  count: number;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#sql = prepareAll(db, SQL);
    this.count = (this.#sql.count.get() as { count: number }).count;
  }

  add(config: StoredConfig, max: number): ConfigWrite {
    if (this.count >= max) return 'full';
    const { id, name, description, labels, current } = config;
    if (name !== null && this.#seqOf(name) !== undefined) return 'name-taken';
    const { version, createdTime, createdBy } = current;
    const { lastInsertRowid } = this.#sql.add.run(
      id,
      name,
      version,
      createdTime,
      createdBy,
      JSON.stringify(labels),
      description,
    );
    const seq = Number(lastInsertRowid);
    this.#addVersion(seq, current);
    this.#addLabels(seq, labels);
    this.count++;
    return 'written';
  }

  replace(config: StoredConfig, expected: number, maxVersions: number): ConfigWrite {
    const { id, name, description, labels, current } = config;
    const found = this.#sql.place.get(id) as { seq: number; version: number } | undefined;
    if (found === undefined) return 'missing';
    if (found.version !== expected) return 'changed';
    const { seq } = found;
    if (name !== null && (this.#seqOf(name) ?? seq) !== seq) return 'name-taken';
    this.#sql.update.run(name, current.version, JSON.stringify(labels), description, seq);
    if (current.version !== expected) {
      this.#addVersion(seq, current);
      this.#sql.forgetVersions.run(seq, current.version - maxVersions);
    }
    this.#sql.removeLabels.run(seq);
    this.#addLabels(seq, labels);
    return 'written';
  }

  get(key: string): StoredConfig | undefined {
    const row = this.#sql.get.get(key, key) as
      | (ConfigVersion & { id: string; name: string | null; description: string | null; labels: string })
      | undefined;
    if (row === undefined) return undefined;
    const { id, name, description, labels, ...current } = row;
    return { id, name, description, labels: JSON.parse(labels), current };
  }

  answer(key: string): { answer: string; version: number; digest: string } | undefined {
    return this.#sql.answer.get(key, key) as ReturnType<SqliteConfigs['answer']>;
  }

  name(id: string): string | null {
    return (this.#sql.name.get(id) as { name: string | null } | undefined)?.name ?? null;
  }

  version(id: string, version: number): ConfigVersion | undefined {
    return this.#sql.version.get(id, version) as ConfigVersion | undefined;
  }

  listVersions(id: string, { before = Number.MAX_SAFE_INTEGER, limit }: Page): ConfigVersionListing[] {
    return this.#sql.listVersions.all(id, before, limit) as unknown as ConfigVersionListing[];
  }

  list({ before = Number.MAX_SAFE_INTEGER, limit }: Page, { labels = {}, text = '' }: ConfigFilter): ConfigListing[] {
    const { values, ...query } = labelled('config', labels);
    const isPlain = values.length === 0 && text === '';
    const statement = isPlain ? this.#sql.list : this.#db.prepare(listConfigs(query, text !== ''));
    const texts = text === '' ? [] : [text];
    const rows = statement.all(...values, ...texts, before, limit) as unknown as (Omit<ConfigListing, 'labels'> & {
      labels: string;
    })[];
    return rows.map((row) => ({ ...row, labels: JSON.parse(row.labels) }));
  }

  delete(id: string, expected: number): boolean {
    const deleted = this.#sql.delete.run(id, expected).changes === 1;
    if (deleted) this.count--;
    return deleted;
  }

  #seqOf(name: string): number | undefined {
    return (this.#sql.named.get(name) as { seq: number } | undefined)?.seq;
  }

  #addVersion(config: number, { version, digest, createdTime, createdBy, format, answer, text }: ConfigVersion): void {
    this.#sql.addVersion.run(config, version, digest, createdTime, createdBy, format, answer, text);
  }

  #addLabels(config: number, labels: StoredConfig['labels']): void {
    for (const [key, value] of Object.entries(labels)) this.#sql.addLabel.run(key, value, config);
  }
}

function listConfigs({ joins, where, place }: Omit<ReturnType<typeof labelled>, 'values'>, hasText = false): string {
  const search = hasText ? 'AND instr(lower(concat_ws(char(10), id, name, description)), lower(?)) > 0' : '';
  return `SELECT seq, id, name, c.version, digest, c.created_time AS createdTime, c.created_by AS createdBy,
            v.created_time AS updatedTime, v.created_by AS updatedBy, labels, description
          FROM ${joins} configs c CROSS JOIN config_versions v
          WHERE v.config = seq AND v.version = c.version ${where} ${search} AND ${place} < ? ORDER BY ${place} DESC LIMIT ?`;
}

const CURRENT = 'FROM configs c JOIN config_versions v ON v.config = c.seq AND v.version = c.version';
const VERSION =
  'v.version, v.text, v.format, v.answer, v.digest, v.created_time AS createdTime, v.created_by AS createdBy';

const SQL = {
  add: `INSERT INTO configs (id, name, version, created_time, created_by, labels, description)
        VALUES (?, ?, ?, ?, ?, ?, ?)`,
  update: 'UPDATE configs SET name = ?, version = ?, labels = ?, description = ? WHERE seq = ?',
  place: 'SELECT seq, version FROM configs WHERE id = ?',
  name: 'SELECT name FROM configs WHERE id = ?',
  named: 'SELECT seq FROM configs WHERE name = ?',
  addVersion: `INSERT INTO config_versions (config, version, digest, created_time, created_by, format, answer, text)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  forgetVersions: 'DELETE FROM config_versions WHERE config = ? AND version <= ?',
  addLabel: 'INSERT INTO config_labels (key, value, config) VALUES (?, ?, ?)',
  removeLabels: 'DELETE FROM config_labels WHERE config = ?',
  get: `SELECT id, name, description, labels, ${VERSION} ${CURRENT} WHERE id = ? OR name = ?`,
  answer: `SELECT answer, v.version, digest ${CURRENT} WHERE id = ? OR name = ?`,
  version: `SELECT ${VERSION} FROM configs c JOIN config_versions v ON v.config = c.seq WHERE id = ? AND v.version = ?`,
  listVersions: `SELECT v.version, v.digest, v.created_time AS createdTime, v.created_by AS createdBy
                 FROM configs c JOIN config_versions v ON v.config = c.seq
                 WHERE id = ? AND v.version < ? ORDER BY v.version DESC LIMIT ?`,
  list: listConfigs(labelled('config', {})),
  delete: 'DELETE FROM configs WHERE id = ? AND version = ?',
  count: 'SELECT count(*) AS count FROM configs',
} as const;
