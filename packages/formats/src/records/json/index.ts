export { hasNoControlsButLf } from './control-bytes.ts';
export { JsonLineScanner } from './json-line-scanner.ts';
export { BETWEEN_VALUES, JsonValueScanner } from './json-value-scanner.ts';
