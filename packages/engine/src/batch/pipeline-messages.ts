import type { ObjectNode } from '@headrace/hocon';
import type { ModuleReference, RecordChunk } from '../component/connector.ts';
import type { LogRecord } from '../component/logger.ts';
import type { RegistrySource } from '../component/registry.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Content } from '../failures/kept-failure.ts';
import type { FamilySettings } from '../families/family-lines.ts';
import type { Notice } from '../notices/notice.ts';

/** The job of a pipeline thread until it is closed. */
export interface OpenPipeline {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  /** The name of the connector, which has the notices of its decoders. */
  readonly connector: string;
  readonly pipeline: string;
  readonly runId: string;
  readonly threadName: string;
  readonly threadNumber: number;
  /** The `shared` entries of the first thread, see `StageContext`. Empty for the first thread. */
  readonly shared: Map<string, unknown>;
  /** True if the config is trusted, see `RunRequest`. */
  readonly trusted: boolean;
  /** The encoder for the indexer. Undefined if nothing is sent. */
  readonly encoder: ModuleReference | undefined;
  /** The class name of the indexer, which has the notices of its encoder. */
  readonly indexer: string;
  /** True if the indexer cuts batches by document and needs the length of each document. */
  readonly lengths: boolean;
  /** The settings of families, if the indexer deletes old children. */
  readonly families: FamilySettings | undefined;
  /** The time limit of the stages for one document, in milliseconds. */
  readonly computeMillis: number;
  /** The memory of `FlowControl`. */
  readonly flow: SharedArrayBuffer;
  /** The memory of `MessageGate`. */
  readonly logGate: SharedArrayBuffer;
  /** The memory of `FailureBudget`. */
  readonly failureBudget: SharedArrayBuffer;
  /** The memory of `SharedStatistics`. */
  readonly statistics: SharedArrayBuffer;
}

/**
 * The input of the stages: records as bytes with their decoders, or documents that `encodeDocuments` encoded. A batch
 * has several chunks if they are small. Chunks with marks (`keepsRunIds`, `listsIds`) are alone.
 */
export type InputBatch =
  | { readonly kind: 'records'; readonly chunks: readonly [RecordChunk, ...RecordChunk[]] }
  | { readonly kind: 'documents'; readonly bytes: Uint8Array; readonly count: number };

/** Documents that are already encoded for the indexer. They skip the stages. */
export type EncodedInput = { readonly kind: 'encoded' } & Pick<OutcomePart, 'bytes' | 'count' | 'ids' | 'lengths'>;

/** A numbered batch of the source. */
export type SourceBatch = InputBatch | EncodedInput;

/** The messages to a pipeline thread. */
export type ToPipeline =
  | ({ readonly type: 'open' } & OpenPipeline)
  | { readonly type: 'batch'; readonly sequence: number; readonly batch: SourceBatch }
  | { readonly type: 'close' };

/** A document that failed in a pipeline thread, or a record that could not be read. */
export interface PartFailure {
  id: string;
  at: string;
  failure: Failure;
  /**
   * The position in the batch, from 0, of the failed document or record. For a child, the position of its source
   * document.
   */
  position: number;
  /** The document from the decoder. Absent for an unreadable record, and if the run does not store failed documents. */
  content?: Content;
}

/**
 * A part of the result of a batch. A batch has several parts if it produces a lot of output or takes long. The totals
 * of a run are the sums of all parts.
 */
export interface OutcomePart {
  readonly sequence: number;
  readonly last: boolean;
  /** True if the run was stopped before this last part, so documents of the batch may be missing. */
  readonly cut?: true;
  readonly published: number;
  readonly created: number;
  readonly dropped: number;
  readonly failed: number;
  /** The first failures of the part. */
  readonly failures: PartFailure[];
  /** The number of documents for the indexer. */
  readonly count: number;
  /** The bytes of the documents. Empty if nothing is sent. */
  readonly bytes: Uint8Array;
  /**
   * The ids of the documents, as a JSON list. For a streaming indexer, only the first id. Only read if a document
   * fails.
   */
  readonly ids: string;
  /** The length of each document in bytes. Undefined for a streaming indexer. */
  readonly lengths: Uint32Array | undefined;
  /** The hashes of the documents, if the encoder computes them. */
  readonly hashes?: Uint8Array;
  /** The ids of the documents, for a chunk with `listsIds`. */
  readonly lists?: IdLists;
  /** The notices since the last part of the thread. Absent if there are none. */
  readonly notices?: readonly Notice[];
}

/** Ids of documents, in the order in which they left the pipeline. */
export interface IdLists {
  readonly created: string[];
  readonly dropped: string[];
  /** The ids of documents that were sent to the indexer. */
  readonly sent: string[];
}

/** The messages from a pipeline thread. */
export type FromPipeline =
  | { readonly type: 'opened'; readonly shared: Map<string, unknown> }
  /** A stage starts. */
  | { readonly type: 'starting'; readonly stage: string }
  | { readonly type: 'refused'; readonly failure: Failure }
  | ({ readonly type: 'part' } & OutcomePart)
  /** A batch could not be decoded completely, which ends the connector. The last part of the batch follows. */
  | { readonly type: 'broken'; readonly sequence: number; readonly failure: Failure }
  | { readonly type: 'log'; readonly record: LogRecord }
  /** @param notices the notices since the last part */
  | { readonly type: 'closed'; readonly failure: Failure | undefined; readonly notices: readonly Notice[] };
