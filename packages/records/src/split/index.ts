export type { ByteSource } from './byte-source.ts';
export {
  type RecordPlace,
  type RecordScanner,
  type SourcePart,
  type SplitOptions,
  splitRecords,
} from './record-splitter.ts';
export { findRowEnds, type RowEnds, type RowFormat } from './row-ends.ts';
