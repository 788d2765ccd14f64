export { hasNoControlsButLf } from './control-bytes.ts';
export { JsonLineScanner } from './json-line-scanner.ts';
export { JsonRecordFilter, type RecordStep } from './json-record-filter.ts';
export { BETWEEN_VALUES, JsonValueScanner } from './json-value-scanner.ts';
