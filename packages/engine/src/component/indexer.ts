import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { FailedInChunk, ModuleReference } from './connector.ts';
import type { IndexerSettings } from './indexer-settings.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** What an indexer may know about its environment. */
export interface IndexerContext {
  readonly runId: string;
  readonly log: Logger;
  /** The `indexer` block: batches, filters, retries. */
  readonly settings: IndexerSettings;
  /** Whether this run processes failed documents of an earlier run. The output of the earlier run must be kept. */
  readonly retry?: boolean;
  /** Call this with the number of documents whenever documents are sent again. */
  readonly onRetry?: (documents: number) => void;
}

/**
 * Encodes a document as the text that is sent for it, in the pipeline threads. An error fails that document. Each
 * thread has its own instance, made from the options of its reference and a logger.
 */
export interface DocumentEncoder {
  encode(document: Document): string;
  /** What `encode` returns for each document of a table, in order. */
  encodeTable?(table: DocumentTable): string[];
}

/** Encoded documents, in order, as the indexer sends them. */
export interface EncodedBatch {
  /** How many documents. */
  readonly count: number;
  /**
   * Their bytes (UTF-8), concatenated and cut at any position. The memory is reused after `send`: copy what is needed
   * longer.
   */
  readonly pieces: readonly Uint8Array[];
  /** How many bytes each of them has, in order; none for a streaming indexer. */
  lengths(): Uint32Array;
  /**
   * Their ids, in order; for a streaming indexer only the first id of each piece. They are parsed on demand, because
   * only failures need them.
   */
  ids(): readonly string[];
  /** The pipeline that the documents come from. */
  readonly pipeline: string;
  /** For each piece, the `origin` of its chunk (see `TrackedChunk`); undefined if its connector does not track chunks. */
  origins(): readonly unknown[];
}

/**
 * The answer of an indexer whose destination confirms documents later. The memory of the batch is free at once, and the
 * next batch is sent. The run waits for the confirmation at its end, and before a source counts as read.
 */
export interface LaterAnswer {
  readonly confirmed: Promise<Confirmation>;
}

/** The result of a batch with a `LaterAnswer`. created + the documents of the batch = succeeded + failed + dropped. */
export interface Confirmation {
  readonly created: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** The failed documents; of many, only the first. */
  readonly failures: readonly FailedInChunk[];
}

/** What `Indexer.send` returns: the documents that failed, or the promise of an answer. */
export type SendAnswer = readonly IndexFailure[] | LaterAnswer;

/** How the run of an indexer ended. */
export interface RunOutcome {
  /** Whether a connector failed, or the run was stopped. */
  readonly failed: boolean;
}

/** A document of a batch that could not be written. */
export interface IndexFailure {
  /** Its position in the batch, from 0. */
  readonly index: number;
  readonly message: string;
  /** The HTTP status of the server's answer. */
  readonly status?: number;
  /**
   * The document is not the cause: the server did not answer, was overloaded, or refused every document. Sources do not
   * mark it as read.
   */
  readonly undelivered?: true;
}

/**
 * An indexer writes encoded documents to their destination, in the thread of the run: it does I/O only. One instance
 * serves all connectors of a run. If `send` throws, every document of that batch fails. The constructor has no side
 * effects.
 */
export abstract class Indexer<P extends TObject = TObject> {
  /**
   * Identifies the base class to the registry by name, because a custom module may bring its own copy of this class.
   */
  static readonly kind = 'indexer';
  /** The parameters of the indexer's own block. */
  static readonly parameters: TObject;
  /** The name of that block in the config (`csv`); undefined if it has none. */
  static readonly block: string | undefined;

  /** Mistakes that the schema cannot express, all at once. No side effects. */
  static check?(params: never, settings: IndexerSettings): Iterable<ParameterProblem>;

  /** Whether documents go to the standard output of the process. Nothing else should be written there then. */
  static writesToStandardOutput?(params: never): boolean;

  /** Whether a run replaces what the last run wrote. */
  static overwrites?(params: never): boolean;

  readonly params: Static<P>;
  readonly context: IndexerContext;

  /** Takes documents one by one, without a batch size. For destinations without batches, such as files. */
  readonly streaming: boolean = false;

  /**
   * How many batches may be in flight at once. `send` is called in their order. With more than one, the indexer itself
   * must keep two versions of a document in order.
   */
  readonly maxInFlight: number = 1;

  constructor(params: Static<P>, context: IndexerContext) {
    this.params = params;
    this.context = context;
  }

  /**
   * The class that encodes for it, a `DocumentEncoder`; undefined if it needs no bytes.
   * @param pipeline the pipeline that the documents come from; undefined outside of a run
   */
  abstract encoder(pipeline?: string): ModuleReference | undefined;

  /** Checks without a run whether its destination is available: see `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  /**
   * Opens the destination, in one attempt. An error ends the run: `Indexer could not connect.`, with the reason. After
   * a temporary error (a refused connection, a status 503, a `HeadraceError` with `passing`) the run calls it again
   * until `indexer.connectTimeout` is over, so it must close what it had opened.
   */
  connect?(): void | Promise<void>;

  /**
   * Writes a batch and returns its failures.
   * @param signal aborted when the run gives up on the batch: a request in progress may finish, but send nothing more
   */
  abstract send(batch: EncodedBatch, signal: AbortSignal): SendAnswer | Promise<SendAnswer>;

  /** Closes the destination. Everything that was sent is stored when it returns. */
  close?(outcome: RunOutcome): void | Promise<void>;
}

/** A class of indexers, as the registry holds it. */
export interface IndexerClass {
  readonly parameters: TObject;
  readonly block: string | undefined;
  readonly check?: (params: never, settings: IndexerSettings) => Iterable<ParameterProblem>;
  readonly writesToStandardOutput?: (params: never) => boolean;
  readonly overwrites?: (params: never) => boolean;
  new (params: never, context: IndexerContext): Indexer;
}
