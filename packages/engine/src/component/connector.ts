import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem, TouchedFile } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** What a connector may know about its environment. */
export interface ConnectorContext {
  /** The connector's name, given or `connector_<n>`. */
  readonly name: string;
  /** The prefix of every id that the connector makes. */
  readonly docIdPrefix: string;
  readonly runId: string;
  readonly log: Logger;
  /**
   * Aborted when the run must stop. The publisher has the same signal, but a connector without a pipeline has no
   * publisher.
   */
  readonly signal: AbortSignal;
  /** Whether this is a preview. In a preview the connector leaves sources unchanged: it moves and deletes nothing. */
  readonly preview: boolean;
}

/** The location of code that runs in another thread: an exported class of a module. */
export interface ModuleReference {
  /** URL of the module, made with `import.meta.url`. */
  readonly url: string;
  /** Name of the exported class. */
  readonly name: string;
  /** The argument of its constructor; plain data. */
  readonly options: unknown;
}

/**
 * A piece of a source, cut at the end of a record. It is transferred to a pipeline thread unchanged and decoded there.
 */
export interface RecordChunk {
  /** The records. The memory is transferred: do not use it afterwards. */
  readonly bytes: Uint8Array;
  /** The class that decodes it, a `RecordDecoder`. */
  readonly decoder: ModuleReference;
  /** What the decoder needs to know about this piece (for example, the number of its first record); plain data. */
  readonly position: unknown;
  /** How many documents it contains, if the number is certain before decoding. */
  readonly documents?: number;
  /** The documents belong to another run: their `run_id` stays. */
  readonly keepsRunIds?: true;
  /** The outcome of the chunk lists the ids of its documents. They are then processed one by one. */
  readonly listsIds?: true;
}

/** How the documents of a chunk have finished. published + created = succeeded + failed + dropped. */
export interface ChunkOutcome {
  readonly published: number;
  readonly created: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** How many of the failed documents failed only because the destination accepted none. */
  readonly undelivered: number;
  /** The failed documents; of many that failed together, only the first. */
  readonly failures: readonly FailedInChunk[];
  /** If the chunk has `listsIds`: the ids of children, of dropped documents, and of those that went to the indexer. */
  readonly createdIds: readonly string[];
  readonly droppedIds: readonly string[];
  readonly sentIds: readonly string[];
}

/** A document of a chunk that failed. `at` is the stage, `connector` or `indexer`. */
export interface FailedInChunk {
  readonly id: string;
  readonly at: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** What a connector wants to know about a chunk. */
export interface TrackedChunk {
  /** Where the chunk comes from. The indexer receives this value with the documents: see `EncodedBatch.origins`. */
  readonly origin: unknown;
  /** Called once, when every document of the chunk has finished. Not called if the run gives up before that. */
  finished(outcome: ChunkOutcome): void;
}

/** A record that cannot be read. It counts as published and failed; the others continue. */
export interface RejectedRecord {
  /** Its position: `movies.csv:17`. */
  readonly place: string;
  readonly message: string;
  /** The id, if it is known despite the error. */
  readonly id?: string;
}

/** Takes the documents and bad records that a decoder finds. */
export interface RecordSink {
  document(document: Document): void;
  /** Optional: takes many documents with the same fields at once. Their order relative to single documents is kept. */
  table?(table: DocumentTable): void;
  reject(record: RejectedRecord): void;
  warn(message: string): void;
}

/**
 * Decodes a chunk into documents, in the pipeline threads. Each thread has one instance for each `ModuleReference`. The
 * memory of the bytes is reused when the documents have been processed.
 */
export interface RecordDecoder {
  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void;
}

/**
 * Takes documents from a connector. Every call may wait until the pipeline has capacity, so await it before the next
 * call. A published value belongs to the engine: do not use it afterwards.
 */
export interface Publisher {
  publish(document: Document): Promise<void> | undefined;
  publishChunk(chunk: RecordChunk, tracked?: TrackedChunk): Promise<void>;
  reject(record: RejectedRecord): Promise<void> | undefined;
  /**
   * Resolves when all documents that were published before this call are finished, with success or failure. A source
   * may mark them as read only then.
   * Rejects if the run gives up before that. Rejects with `HR_INDEXER_UNDELIVERED` if documents since the previous call
   * failed only because the destination accepted none (documents published shortly before that call may be among them):
   * the source must deliver them again in another run.
   * A connector may publish more documents in the meantime. If consecutive documents are collapsed, it must, because
   * the last document waits for the next one.
   */
  settled(): Promise<void>;
  /** Aborted when the run must stop: stop reading and return. */
  readonly signal: AbortSignal;
}

/**
 * A connector reads a source and publishes its documents, in the thread of the run. The order of calls: `preExecute`,
 * `execute`, then, when every document is finished, `postExecute`, and always `close`. An error in any of them fails
 * the connector and ends the run. The constructor has no side effects.
 */
export abstract class Connector<P extends TObject = TObject> {
  /**
   * Identifies the base class to the registry by name, because a custom module may bring its own copy of this class.
   */
  static readonly kind = 'connector';
  static readonly parameters: TObject;

  /** Mistakes that the schema cannot express, all at once. No side effects. */
  static check?(params: never): Iterable<ParameterProblem>;

  /** Local files that it reads or writes and that no marked parameter names. No side effects. */
  static touches?(params: never, name: string): Iterable<TouchedFile>;

  /** Whether a run publishes only what is new since the last run. */
  static goesOn?(params: never): boolean;

  /**
   * Whether it runs until a user stops it, or until a time in its own parameters. The default of
   * `runner.connectorTimeout` does not end such a connector; a value in the config does.
   */
  static endless?(params: never): boolean;

  /** Whether it would read a local file, given as an absolute path, because the file is in a folder that it walks. */
  static meets?(params: never, file: string): boolean;

  /** Whether it always fails without a pipeline. */
  static readonly needsPipeline: boolean = false;

  readonly params: Static<P>;
  readonly context: ConnectorContext;

  /** A line for the run summary. */
  message: string | undefined;

  constructor(params: Static<P>, context: ConnectorContext) {
    this.params = params;
    this.context = context;
  }

  /** Checks without a run whether its source is available: see `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  preExecute?(): void | Promise<void>;

  /** @param publisher undefined for a connector without a pipeline, which cannot publish */
  abstract execute(publisher: Publisher | undefined): void | Promise<void>;

  postExecute?(): void | Promise<void>;

  close?(): void | Promise<void>;
}

/** A class of connectors, as the registry holds it. */
export interface ConnectorClass {
  readonly parameters: TObject;
  readonly check?: (params: never) => Iterable<ParameterProblem>;
  readonly touches?: (params: never, name: string) => Iterable<TouchedFile>;
  readonly goesOn?: (params: never) => boolean;
  readonly endless?: (params: never) => boolean;
  readonly meets?: (params: never, file: string) => boolean;
  readonly needsPipeline?: boolean;
  new (params: never, context: ConnectorContext): Connector;
}
