import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { Notices } from '../notices/notice.ts';
import type { FailedInChunk, ModuleReference } from './connector.ts';
import type { DestinationAccess } from './destination.ts';
import type { IndexerSettings } from './indexer-settings.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** The environment of an indexer. */
export interface IndexerContext {
  readonly runId: string;
  readonly log: Logger;
  readonly notices: Notices;
  /** The settings of the `indexer` block: batches, filters, retries. */
  readonly settings: IndexerSettings;
  /** True if this run processes the failed documents of an earlier run. The output of the earlier run must be kept. */
  readonly retry?: boolean;
  /** True if this run continues an earlier run, whose output must be kept: a part of a distributed run that starts again. */
  readonly continues?: boolean;
  /** How the run knows other runs that write to the same destination. Undefined outside a run of a process. */
  readonly destinations?: DestinationAccess;
  /** The indexer calls this with the number of documents whenever it sends documents again. */
  readonly onRetry?: (documents: number) => void;
  /** The indexer calls this with the number of documents that it does not send, because the destination has them. */
  readonly onUnchanged?: (documents: number) => void;
}

/**
 * Encodes a document as the text that is sent, in the pipeline threads. An error fails only that document. Each thread
 * has a separate instance, created with the options of its reference, a logger and `Notices`.
 */
export interface DocumentEncoder {
  /**
   * Returns the text, not a promise. It needs no line feed at its end, but nothing separates it from the next
   * document.
   */
  encode(document: Document): string;
  /**
   * Returns the encoded documents of a table, in order: one text for each document, equal to the result of `encode`. For
   * a streaming indexer, a text may contain several documents.
   */
  encodeTable?(table: DocumentTable): string[];
  /**
   * Converts the encoded documents of a piece (UTF-8) to the bytes that `send` receives, for example to compress them.
   * Only for streaming indexers, which do not cut batches by document. The result must have separate memory, because it
   * is transferred to another thread.
   */
  pack?(documents: Uint8Array): Uint8Array<ArrayBuffer>;
  /**
   * Computes a hash of the same size for each encoded document, for `EncodedBatch.hashes`. Only for indexers that are
   * not streaming.
   */
  hash?(documents: Uint8Array, lengths: Uint32Array): Uint8Array<ArrayBuffer>;
}

/** A batch of encoded documents, in order, ready to be sent. */
export interface EncodedBatch {
  /** The number of documents. */
  readonly count: number;
  /**
   * The bytes of the documents (UTF-8), concatenated and cut at any position. The memory is reused after `send`, so
   * copy the bytes that are needed longer.
   */
  readonly pieces: readonly Uint8Array[];
  /** Returns the number of bytes of each document, in order. Returns an empty array for a streaming indexer. */
  lengths(): Uint32Array;
  /** Returns the hashes of the documents, without gaps. Empty if the encoder has no `hash`. */
  hashes?(): Uint8Array;
  /**
   * Returns the ids of the documents, in order. For a streaming indexer, returns only the first id of each piece. The
   * ids are parsed on demand, because only failures need them.
   */
  ids(): readonly string[];
  /**
   * Frees the memory of a batch early, except of the documents at some positions: the destination already has the
   * others. The pieces must not be used afterwards.
   */
  keep?(positions: readonly number[]): void;
  /** The pipeline that the documents come from. */
  readonly pipeline: string;
  /** For each piece, the `origin` of its chunk (see `TrackedChunk`); undefined if its connector does not track chunks. */
  origins(): readonly unknown[];
}

/**
 * The result of an indexer whose destination confirms documents later. The memory of the batch can be reused
 * immediately, and the next batch is sent. The run waits for the confirmation before it ends, and before a source
 * counts as read.
 */
export interface LaterAnswer {
  readonly confirmed: Promise<Confirmation>;
}

/**
 * The confirmation of a batch with a `LaterAnswer`. created + the documents of the batch = succeeded + failed +
 * dropped.
 */
export interface Confirmation {
  readonly created: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** The failed documents. If there are many, only the first ones. */
  readonly failures: readonly FailedInChunk[];
}

/** The result of `Indexer.send`: the documents that failed, or a `LaterAnswer`. */
export type SendAnswer = readonly IndexFailure[] | LaterAnswer;

/** How the run of an indexer ended. */
export interface RunOutcome {
  /** True if a connector failed, `finish` failed, or the run was stopped. */
  readonly failed: boolean;
  /** Why the run failed or was stopped. Undefined if it succeeded. */
  readonly reason?: string;
}

/** The documents of a run after its connectors succeeded. */
export interface FinishedDocuments {
  readonly succeeded: number;
  readonly failed: number;
  /** The data of the source that is not in the output: the codes of the notices of the class `loss`, with counts. */
  readonly losses: readonly { readonly code: string; readonly count: number }[];
}

/** The result of a check of the output of a run, before the output is put into use. */
export interface CheckResult {
  /** What was checked, such as `documents` or `required title`. */
  readonly name: string;
  /** `not run`: the check does not apply to this run, such as a comparison with a live index that does not exist yet. */
  readonly outcome: 'passed' | 'failed' | 'not run';
  /** What was found, such as `990 documents`; why the check did not run. */
  readonly found: string;
  /** What was expected, such as `at least 1000`. */
  readonly expected: string;
}

/** The output of a run after `Indexer.finish`. */
export interface FinishedOutput {
  readonly checks: readonly CheckResult[];
  /** The name of the previous output, which `Indexer.rollback` can put into use again. Undefined if there is none. */
  readonly replaced?: string;
}

/** A document of a batch that could not be written. */
export interface IndexFailure {
  /** The position of the document in the batch, from 0. */
  readonly index: number;
  readonly message: string;
  /** The HTTP status of the response. */
  readonly status?: number;
  /**
   * The document is not the cause: the server did not answer, was overloaded, or refused every document. Sources do not
   * mark such a document as read.
   */
  readonly undelivered?: true;
}

/**
 * An indexer writes encoded documents to their destination, in the thread of the run. It only does I/O. All connectors
 * of a run use the same instance. If `send` throws, every document of that batch fails. The constructor must have no
 * side effects.
 */
export abstract class Indexer<P extends TObject = TObject> {
  /** Identifies the base class by name, because a custom module may contain another copy of this class. */
  static readonly kind = 'indexer';
  /** The parameters in the block of the indexer. */
  static readonly parameters: TObject;
  /** The name of the block of the indexer, such as `csv`. Undefined if the indexer has no block. */
  static readonly block: string | undefined;

  /** Returns all mistakes that the schema cannot express. Must have no side effects. */
  static check?(params: never, settings: IndexerSettings): Iterable<ParameterProblem>;

  /** Returns true if documents go to the standard output of the process. The process then writes nothing else to it. */
  static writesToStandardOutput?(params: never): boolean;

  /** Returns true if a run replaces the output of the previous run. */
  static overwrites?(params: never): boolean;

  /**
   * Returns the parameter that makes `finish` change the output as a whole, such as `rebuild`; undefined if there is
   * none. Each run must then read the complete source. The config cannot run distributed, because only the process of
   * the run knows whether the run is complete.
   */
  static needsWholeRun?(params: never): string | undefined;

  readonly params: Static<P>;
  readonly context: IndexerContext;

  /**
   * True for destinations without batches, such as files: the indexer receives documents without waiting for a full
   * batch.
   */
  readonly streaming: boolean = false;

  /**
   * True if the output can only be used after `finish`, such as a file that cannot be read without its end. Sent
   * documents then count as succeeded when `finish` has succeeded, and as failed if it fails or is not called.
   * Such an indexer also needs `needsWholeRun`.
   */
  readonly completesAtFinish: boolean = false;

  /**
   * For a streaming indexer: the number of encoded bytes from which documents are sent. Fewer bytes wait for more
   * documents, up to `indexer.batchTimeout`.
   */
  readonly batchBytes: number = 0;

  /**
   * True if the cost of a batch is so high that the chunks of a source, which have half a MiB, are joined to chunks of
   * one MiB. They take more memory.
   */
  readonly prefersLargeChunks: boolean = false;

  /**
   * The maximum number of batches in flight, a whole number from 1. `send` is called in the order of the batches. If the number is greater
   * than 1, the indexer must keep two versions of the same document in order.
   */
  readonly maxInFlight: number = 1;

  /**
   * True if `send` deletes old children (`indexer.childrenField`). With that setting, batches then contain the lines of
   * families, which `splitFamilies` separates. Other indexers refuse the setting.
   */
  readonly deletesOldChildren: boolean = false;

  constructor(params: Static<P>, context: IndexerContext) {
    this.params = params;
    this.context = context;
  }

  /**
   * Called once before `encoder`, if the encoder depends on the state of the destination. An error ends the run.
   * @param signal aborted when the run must stop. The method must then return soon
   */
  prepare?(signal: AbortSignal): Promise<void>;

  /**
   * The `DocumentEncoder` class that encodes for this indexer; undefined if the indexer needs no bytes.
   * @param pipeline the pipeline that the documents come from; undefined outside a run
   */
  abstract encoder(pipeline?: string): ModuleReference | undefined;

  /** Checks whether the destination is available, without a run. See `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  /**
   * Opens the destination, in one attempt. An error ends the run with `Indexer could not connect.` and the reason.
   * After a temporary error, the run calls it again until `indexer.connectTimeout` is over. Temporary errors are a
   * refused connection, a status such as 503, or a `HeadraceError` with `passing`. Before it throws, it must close
   * everything that it opened.
   */
  connect?(): void | Promise<void>;

  /**
   * Called once after `connect`, before the source is read. It may wait for other runs with the same destination. If it
   * throws, `close` is called, and the run ends.
   * @param signal aborted when the run must stop. The method must then throw soon
   */
  begin?(signal: AbortSignal): Promise<void>;

  /**
   * Writes a batch and returns the documents that failed. If it throws, all documents of the batch fail. A
   * `HeadraceError` with the code `HR_INDEXER_GONE` also ends the run: no further document could be written.
   * @param signal aborted when the run abandons the batch: a request in progress may finish, but no other request
   * may start
   */
  abstract send(batch: EncodedBatch, signal: AbortSignal): SendAnswer | Promise<SendAnswer>;

  /**
   * Completes the output of a run: checks it and puts it into use. Called once, before `close`, after all connectors
   * succeeded and every document is counted. Not called if the run failed or was stopped before. An error or a failed
   * check fails the run, and the output must then stay unused.
   * @param signal aborted when the run must stop: then the output must stay unused, and the method must throw
   */
  finish?(counts: FinishedDocuments, signal: AbortSignal): Promise<FinishedOutput>;

  /**
   * Puts the previous output into use again, without a run. Returns a sentence that says what changed. An error says
   * why nothing changed.
   * @param runId the run to undo: an error if the output in use is not the output of this run. Undefined for any output
   */
  rollback?(runId?: string): Promise<string>;

  /** Closes the destination. When it returns, everything that was sent is stored. */
  close?(outcome: RunOutcome): void | Promise<void>;
}

/** An indexer class, as the registry stores it. */
export interface IndexerClass {
  readonly parameters: TObject;
  readonly block: string | undefined;
  readonly check?: (params: never, settings: IndexerSettings) => Iterable<ParameterProblem>;
  readonly writesToStandardOutput?: (params: never) => boolean;
  readonly overwrites?: (params: never) => boolean;
  readonly needsWholeRun?: (params: never) => string | undefined;
  new (params: never, context: IndexerContext): Indexer;
}
