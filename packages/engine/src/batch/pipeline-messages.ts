import type { ObjectNode } from '@headrace/hocon';
import type { ModuleReference, RecordChunk } from '../component/connector.ts';
import type { LogRecord } from '../component/logger.ts';
import type { RegistrySource } from '../component/registry.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Content } from '../failures/kept-failure.ts';

/** What a pipeline thread is to do until it is told to close. */
export interface OpenPipeline {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  readonly pipeline: string;
  readonly runId: string;
  readonly threadName: string;
  readonly threadNumber: number;
  /** Whether the config is trusted; see `RunRequest`. */
  readonly trusted: boolean;
  /** Encodes for the indexer; undefined when nothing is sent. */
  readonly encoder: ModuleReference | undefined;
  /** Whether the indexer cuts batches by document, so that the length of each is needed. */
  readonly lengths: boolean;
  /** How long the stages may compute on one document, in milliseconds. */
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

/** What goes through the stages: records as bytes with their decoder, or documents as `encodeDocuments` gives them. */
export type InputBatch =
  | { readonly kind: 'records'; readonly chunk: RecordChunk }
  | { readonly kind: 'documents'; readonly bytes: Uint8Array; readonly count: number };

/** Documents that are encoded for the indexer already, and go to it as they are. */
export type EncodedInput = { readonly kind: 'encoded' } & Pick<OutcomePart, 'bytes' | 'count' | 'ids' | 'lengths'>;

/** A numbered batch of the source. */
export type SourceBatch = InputBatch | EncodedInput;

/** To a pipeline thread. */
export type ToPipeline =
  | ({ readonly type: 'open' } & OpenPipeline)
  | { readonly type: 'batch'; readonly sequence: number; readonly batch: SourceBatch }
  | { readonly type: 'close' };

/** A document that failed in a pipeline thread, or a record that could not be read there. */
export interface PartFailure {
  id: string;
  at: string;
  failure: Failure;
  /** Which of the documents and bad records of the batch it was, or came from, from 0. */
  position: number;
  /** What the decoder gave; absent for a record that could not be read, and when nobody wants to know. */
  content?: Content;
}

/**
 * A part of what became of a batch. A batch gives one part, or several when it makes much of little or takes
 * long. Only what is in a part counts: the sums of all parts are the accounts.
 */
export interface OutcomePart {
  readonly sequence: number;
  readonly last: boolean;
  /** The run was stopped before this last part: documents of the batch may be missing. */
  readonly cut?: true;
  readonly published: number;
  readonly created: number;
  readonly dropped: number;
  readonly failed: number;
  /** The first of those that failed. */
  readonly failures: PartFailure[];
  /** Documents for the indexer. */
  readonly count: number;
  /** Their bytes; empty when nothing is sent. */
  readonly bytes: Uint8Array;
  /** Their ids, as a JSON list; for a streaming indexer only the first. Read only when something fails. */
  readonly ids: string;
  /** The length in bytes of each, when asked for. */
  readonly lengths: Uint32Array | undefined;
}

/** From a pipeline thread. */
export type FromPipeline =
  | { readonly type: 'opened' }
  | { readonly type: 'refused'; readonly failure: Failure }
  | ({ readonly type: 'part' } & OutcomePart)
  /** A batch could not be decoded to its end, which ends the connector. Its last part comes behind it. */
  | { readonly type: 'broken'; readonly sequence: number; readonly failure: Failure }
  | { readonly type: 'log'; readonly record: LogRecord }
  | { readonly type: 'closed'; readonly failure: Failure | undefined };
