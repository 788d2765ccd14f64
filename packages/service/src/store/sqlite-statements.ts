import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Prepared statements by name. */
export type Prepared<Name extends string> = Readonly<Record<Name, StatementSync>>;

export function prepareAll<Name extends string>(
  db: DatabaseSync,
  texts: Readonly<Record<Name, string>>,
): Prepared<Name> {
  const statements = Object.entries<string>(texts).map(([name, sql]) => [name, db.prepare(sql)]);
  return Object.fromEntries(statements) as Prepared<Name>;
}
