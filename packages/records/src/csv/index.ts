export type { CsvDialect } from './csv-dialect.ts';
export { CsvParser } from './csv-parser.ts';
export { CsvScanner } from './csv-scanner.ts';
