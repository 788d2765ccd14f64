export { DatabaseUrlError } from './database-url-error.ts';
export {
  type DatabaseUrl,
  displayUrl,
  type HostPort,
  parseJdbcUrl,
  type ServerUrl,
  type SqliteUrl,
  type SqlServerUrl,
} from './jdbc-url.ts';
export { type PreparedSql, prepareSql, type SqlDialect } from './placeholders.ts';
export { instantOfDate, processZone, SqlTimes } from './sql-times.ts';
