export { JsonPathError } from './cursor.ts';
export { compileJsonPath, type JsonPath } from './json-path.ts';
