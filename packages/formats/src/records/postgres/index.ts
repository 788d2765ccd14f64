export { readArray } from './array-text.ts';
export { DataRowCollector } from './data-row-collector.ts';
export { type BytesReader, readDataRows } from './data-rows.ts';
export { isUnknownType, kindOf, type ScalarKind, type TypeRow, type ValueKind } from './value-kinds.ts';
