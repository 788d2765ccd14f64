import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import type { TableGroup } from '../document/table-group.ts';
import type { StageError } from './stage-error.ts';
import type { Undo } from './undo.ts';

/** Receives the documents that leave a range of stages. */
export interface Output {
  emit(document: Document): void;
  /** True if the output must be taken before the next document. */
  readonly full: boolean;
  /** Waits until the output is taken, and may block. Returns false if no more output is needed. */
  relieve(): Promise<boolean>;
  /** The maximum number of children that a stage may emit for a document before it is deferred. Defaults to no limit. */
  readonly maxChildren?: number;
  /**
   * Called before a document waits, and after its first `maxChildren` children. May throw: then the document stays in
   * its stage.
   * @param from the number of the stage from which the document must continue
   * @param result the result of the stage before it, or the children that were not read
   */
  defer?(document: Document, from: number, result: Children | Promise<StageResult>): void;
}

/** Receives the results of the documents of a pipeline, in their order. */
export interface PipelineSink {
  /**
   * Receives a document that leaves the pipeline. Children leave before their parent. Dropped and skipped documents
   * leave too.
   */
  emit(document: Document, isChild: boolean): void;
  /** Called after an input and its children have left. */
  finished(input: Document): void;
  /** Called if an input failed. Children that left before are kept. */
  failedDocument(input: Document, error: StageError): void;
  /** See `Output.full`. If absent, this is never necessary. */
  readonly full?: boolean;
  /** See `Output.relieve`. */
  relieve?(): Promise<boolean>;
}

/** Receives also whole tables that leave the pipeline. */
export interface TableSink extends PipelineSink {
  /** The position in the batch of the next document, or of the input document of a child. */
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

/** Receives the documents of a batch, which leave in parts. */
export interface QueueSink extends Required<PipelineSink> {
  /** See `TableSink.position`. */
  position: number;
  /** True if the output should be posted before the next document. */
  readonly due: boolean;
  /** Marks the end of the output. */
  mark(): Undo;
}

/** Processes single documents of tables, in order. */
export interface DocumentFeed {
  /** True if a stage waits for a promise. Later documents must then wait too. */
  readonly isWaiting: boolean;
  /**
   * Sends a document through the stages from a number on, or lets it wait.
   * @param position the position of the document in its batch
   * @param result the result of the stage before that number, if it must still be processed
   */
  feed(document: Document, from: number, position: number, result?: StageResult | Promise<StageResult>): void;
}
