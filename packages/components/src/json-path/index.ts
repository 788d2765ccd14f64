export { JsonPathError } from './cursor.ts';
export { compileJsonPath, type JsonPath, type JsonPathOptions } from './json-path.ts';
