import type { StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { TableGroup } from '../document/table-group.ts';
import type { PipelineSink } from './pipeline.ts';

/** Receives the documents of a table when they leave the pipeline. */
export interface TableSink extends PipelineSink {
  /** The position of the next document in its batch. */
  position: number;
  /** True if a child must leave directly before its parent, without documents of other families between them. */
  readonly needsFamilies: boolean;
  /** True if documents that leave as tables take less time than single documents. */
  readonly prefersTables: boolean;
  /** Receives a group whose documents all leave the pipeline. */
  group(group: TableGroup): void;
  /** Counts inputs and children that were dropped. */
  dropped(inputs: number, children: number): void;
}

/** Processes single documents of tables, in order. */
export interface DocumentFeed {
  /** True if a stage waits for a promise. Later documents must then wait too. */
  readonly isWaiting: boolean;
  /**
   * Sends a document through the stages from a number on, or lets it wait.
   * @param result the result of the stage before that number, if it must still be processed
   */
  feed(document: Document, from: number, position: number, result?: StageResult | Promise<StageResult>): void;
}
