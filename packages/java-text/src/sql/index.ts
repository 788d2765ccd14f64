export { type PreparedSql, prepareSql, type SqlDialect } from './placeholders.ts';
