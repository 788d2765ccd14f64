export type { ByteSource } from './byte-source.ts';
export {
  type RecordPlace,
  type RecordScanner,
  type SourcePart,
  type SplitOptions,
  splitRecords,
} from './record-splitter.ts';
export { endLastRow, type RowFormat } from './row-ends.ts';
