export { JsonPathError } from './cursor.ts';
export { compileJsonPath, type JsonPath } from './json-path.ts';
export { type PathStep, pathSteps } from './path-steps.ts';
