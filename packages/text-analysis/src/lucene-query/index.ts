export { analyzeValues, type FieldTerms } from './analysis.ts';
export type { DocumentTerms } from './evaluate.ts';
export { parseQuery } from './parser.ts';
export { fieldsOf, type Query } from './query.ts';
export { QueryIndex } from './query-index.ts';
export { QuerySyntaxError } from './query-syntax-error.ts';
