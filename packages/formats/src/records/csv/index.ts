export type { CsvDialect } from './csv-dialect.ts';
export { CsvParser } from './csv-parser.ts';
export type { CsvRows } from './csv-rows.ts';
export { CsvScanner } from './csv-scanner.ts';
export { isCsvRow } from './is-row.ts';
