import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { ModuleReference } from './connector.ts';
import type { IndexerSettings } from './indexer-settings.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** What an indexer may know about where it runs. */
export interface IndexerContext {
  readonly runId: string;
  readonly log: Logger;
  /** The `indexer` block: batches, filters, retries. */
  readonly settings: IndexerSettings;
  /** Whether failed documents of an earlier run are run again: what that one has written stays. */
  readonly retry?: boolean;
  /** To be told how many documents are sent again, whenever some are. */
  readonly onRetry?: (documents: number) => void;
}

/**
 * Turns a document into the text that is sent for it, in the pipeline threads. What it throws fails that
 * document. An instance for each thread, made of the options of its reference and a logger.
 */
export interface DocumentEncoder {
  encode(document: Document): string;
  /** What `encode` gives for each document of a table, in order. */
  encodeTable?(table: DocumentTable): string[];
}

/** Encoded documents, in order, as the indexer sends them. */
export interface EncodedBatch {
  /** How many documents. */
  readonly count: number;
  /**
   * Their bytes (UTF-8), one document after the other, cut anywhere. The memory is taken back when `send` has ended:
   * what is needed longer has to be copied.
   */
  readonly pieces: readonly Uint8Array[];
  /** How many bytes each of them has, in order; none for a streaming indexer. */
  lengths(): Uint32Array;
  /**
   * Their ids, in order; for a streaming indexer only the first of each piece. Parsed on demand: only failures need
   * them.
   */
  ids(): readonly string[];
}

/** How the run ended that an indexer worked for. */
export interface RunOutcome {
  /** Whether a connector failed, or the run was stopped. */
  readonly failed: boolean;
}

/** A document of a batch that could not be written. */
export interface IndexFailure {
  /** Its position in the batch, from 0. */
  readonly index: number;
  readonly message: string;
  /** The HTTP status that the server gave it. */
  readonly status?: number;
  /**
   * The fault is not the document's: there was no answer, too much to do, or a refusal of everything. Sources do not count
   * it as read.
   */
  readonly undelivered?: true;
}

/**
 * An indexer writes encoded documents to their destination, in the thread of the run: it does I/O only. One
 * instance serves all connectors of a run. What `send` throws fails every document of that batch.
 * The constructor has no side effects.
 */
export abstract class Indexer<P extends TObject = TObject> {
  /** Tells the registry what it has loaded; by name, because a custom module may bring its own copy of this class. */
  static readonly kind = 'indexer';
  /** The parameters of the indexer's own block. */
  static readonly parameters: TObject;
  /** The name of that block in the config (`csv`); undefined when there is none. */
  static readonly block: string | undefined;

  /** Mistakes that the schema cannot express, all at once. No side effects. */
  static check?(params: never, settings: IndexerSettings): Iterable<ParameterProblem>;

  /** Whether documents go to the standard output of the process, so that nothing else should. */
  static writesToStandardOutput?(params: never): boolean;

  /** Whether a run takes the place of what the last one wrote. */
  static overwrites?(params: never): boolean;

  readonly params: Static<P>;
  readonly context: IndexerContext;

  /** Takes documents as they come, however many: for destinations that have no notion of a batch, such as files. */
  readonly streaming: boolean = false;

  /**
   * How many batches may be under way at once. `send` is called in their order; with more than one the indexer itself
   * sees to it that two versions of a document do not overtake each other.
   */
  readonly maxInFlight: number = 1;

  constructor(params: Static<P>, context: IndexerContext) {
    this.params = params;
    this.context = context;
  }

  /** The class that encodes for it, a `DocumentEncoder`; undefined when it needs no bytes at all. */
  abstract encoder(): ModuleReference | undefined;

  /** Whether what it talks to is there, without a run: see `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  /**
   * Opens the destination, in one attempt. What it throws ends the run: `Indexer could not connect.`, with the reason. After
   * an error that may pass (a refused connection, a status 503, a `HeadraceError` with `passing`) it is called again, until
   * `indexer.connectTimeout` is over: it has to close what it had opened.
   */
  connect?(): void | Promise<void>;

  /**
   * Writes a batch; gives what failed in it.
   * @param signal aborted when the batch is given up: what is under way may finish, nothing more is to be sent
   */
  abstract send(batch: EncodedBatch, signal: AbortSignal): readonly IndexFailure[] | Promise<readonly IndexFailure[]>;

  /** Closes the destination; everything sent is safe when it returns. */
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
