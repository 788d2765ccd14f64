import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { SourceText } from '../document/source-text.ts';
import type { ErrorCode } from '../errors/error-codes.ts';
import type { NoticeDetails, Notices } from '../notices/notice.ts';
import type { CustomNoticeCode, NoticeClass, NoticeCode } from '../notices/notice-table.ts';
import type { ReportProblem } from './access-check.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem, TouchedFile } from './parameters.ts';
import type { Static, TObject } from './schema.ts';

/** The environment of a connector. */
export interface ConnectorContext {
  /** The name of the connector, from the config or `connector_<n>`. */
  readonly name: string;
  /** The prefix of every id that the connector creates. */
  readonly docIdPrefix: string;
  readonly runId: string;
  readonly log: Logger;
  readonly notices: Notices;
  /**
   * Aborted when the run must stop. The publisher has the same signal, but a connector without a pipeline has no
   * publisher.
   */
  readonly signal: AbortSignal;
  /** True in a preview. In a preview, the connector must not change its source: it moves and deletes nothing. */
  readonly preview: boolean;
}

/** A class that another thread loads: an exported class of a module. */
export interface ModuleReference {
  /** The URL of the module, made with `import.meta.url`. */
  readonly url: string;
  /** The name of the exported class. */
  readonly name: string;
  /** The argument of the constructor. Plain data. */
  readonly options: unknown;
}

/**
 * A piece of a source, cut at the end of a record. It is transferred to a pipeline thread as bytes and decoded there.
 */
export interface RecordChunk {
  /** The bytes of the records. The memory is transferred: do not use it afterwards. */
  readonly bytes: Uint8Array;
  /** The `RecordDecoder` class that decodes the bytes. */
  readonly decoder: ModuleReference;
  /** The information about this piece that the decoder needs, such as the number of its first record. Plain data. */
  readonly position: unknown;
  /**
   * The number of documents and rejected records in the piece, if it is known before decoding. The decoder must return
   * exactly this number.
   */
  readonly documents?: number;
  /** True if the documents belong to another run. They then keep their `run_id`. */
  readonly keepsRunIds?: true;
  /** True if the outcome of the chunk must list the ids of its documents. They are then processed one by one. */
  readonly listsIds?: true;
}

/** The results of the documents of a chunk. published + created = succeeded + failed + dropped. */
export interface ChunkOutcome {
  readonly published: number;
  readonly created: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly dropped: number;
  /** The number of failed documents that failed only because the destination accepted none. */
  readonly undelivered: number;
  /** The failed documents. If many failed together, only the first one. */
  readonly failures: readonly FailedInChunk[];
  /**
   * If the chunk has `listsIds`: the ids of children, of dropped documents, and of documents that were sent to the
   * indexer.
   */
  readonly createdIds: readonly string[];
  readonly droppedIds: readonly string[];
  readonly sentIds: readonly string[];
}

/** A failed document of a chunk. `at` is the name of a stage, `connector` or `indexer`. */
export interface FailedInChunk {
  readonly id: string;
  readonly at: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** A connector that passes this with a chunk is informed when all documents of the chunk have finished. */
export interface TrackedChunk {
  /** Any value that identifies the chunk. The indexer receives it with the documents; see `EncodedBatch.origins`. */
  readonly origin: unknown;
  /** Called once, when every document of the chunk has finished. Not called if the run fails before that. */
  finished(outcome: ChunkOutcome): void;
}

/** A record that cannot be read. It counts as published and failed. The other records are processed. */
export interface RejectedRecord {
  /** The position of the record, for example `movies.csv:17`. Not empty. */
  readonly place: string;
  readonly message: string;
  /** The id of the record, if it is known despite the error. */
  readonly id?: string;
  /** The number of documents that the record contains, from 1, if it is not one. All of them fail. */
  readonly count?: number;
}

/** One case of a notice about a record. */
export interface RecordNotice extends NoticeDetails {
  /**
   * The number of records between the last one that the sink has received and the record of the notice, for decoders that
   * collect records to tables. Defaults to 0: the next record.
   */
  readonly ahead?: number;
}

/** Receives the documents and the unreadable records that a decoder finds. */
export interface RecordSink {
  /** @param source the text from which all texts of the document were cut, if the decoder knows it */
  document(document: Document, source?: SourceText): void;
  /**
   * Receives many documents with the same fields together. Optional. The order of tables and single documents is kept.
   */
  table?(table: DocumentTable): void;
  reject(record: RejectedRecord): void;
  warn(message: string): void;
  /**
   * Reports a notice about the next record that the sink receives: call it before `document`, `table` or `reject`. A
   * decoder may decode a record several times, and the sink counts its notices once.
   */
  notice(code: NoticeCode, details?: RecordNotice): void;
  notice(code: CustomNoticeCode, details: RecordNotice & { readonly class: NoticeClass }): void;
  /**
   * How many of the next records the sink ignores, because it has received them in an earlier call for the same chunk.
   * Optional.
   */
  readonly known?: number;
  /** Counts records that the sink ignores, instead of sending them again: at most `known`. */
  skip?(records: number): void;
  /**
   * True if the sink ignores all other records of this call. The decoder may return. If the sink needs them, it is called
   * again with the same objects. Optional.
   */
  readonly full?: boolean;
}

/**
 * Decodes a chunk into documents, in the pipeline threads. Each thread has one instance for each `ModuleReference`. The
 * memory of the bytes is reused after the documents have been processed. `decode` cannot be async: it passes every
 * record to the sink, as a document or as a rejected record, before it returns. Each document is a new one, with an id.
 * A chunk whose output is large is decoded several times, from the start, each time for the next part of the output. A
 * decoder of large chunks should keep its position when the sink is full, and skip the known records in the next call.
 */
export interface RecordDecoder {
  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void;
}

/**
 * Receives documents from a connector. Await every call before the next one, because a call waits until the pipeline
 * has capacity. A published value belongs to the engine: do not use it afterwards, and publish a new document for each
 * record. When `execute` has ended, nothing more is accepted: a later call throws, and fails the connector.
 */
export interface Publisher {
  publish(document: Document): Promise<void> | undefined;
  publishChunk(chunk: RecordChunk, tracked?: TrackedChunk): Promise<void>;
  reject(record: RejectedRecord): Promise<void> | undefined;
  /**
   * Resolves when all documents that were published before this call count as read: each one succeeded or was dropped,
   * or it failed and is kept where it can be run again. Only then may a source mark the documents as read.
   * Rejects if the run fails earlier, and if a document has failed since the previous call that does not count as read:
   * with `HR_INDEXER_UNDELIVERED` if the destination accepted no document, otherwise with `HR_RUN_FAILURES_NOT_KEPT`.
   * The source must then publish these documents again in another run. Documents published shortly before the previous
   * call may be among them.
   * The connector may publish more documents while it waits. If consecutive documents are collapsed, it must publish
   * more, because the last document waits for the next one.
   */
  settled(): Promise<void>;
  /**
   * True if the output of the run is put into use as a whole, at its end. The source must then mark nothing as read
   * before `markRead`. Optional.
   */
  readonly readAtEnd?: boolean;
  /** True if consecutive documents with one id become one document. Optional. */
  readonly collapses?: boolean;
  /**
   * Says that the connector publishes nothing more until documents that it has published finish. Their last batch is
   * then sent although it is not full, without a wait for `batchTimeout`. Optional.
   */
  hurry?(): void;
  /** This signal is aborted when the run must stop. The connector then stops reading and returns. */
  readonly signal: AbortSignal;
}

/**
 * A connector reads a source and publishes its documents, in the thread of the run. The run calls `preExecute`, then
 * `execute`, then `markRead` and `postExecute` when every document is finished. It always calls `close` at the end. An
 * error in any of them fails the connector and ends the run. The constructor must have no side effects.
 */
export abstract class Connector<P extends TObject = TObject> {
  /** Identifies the base class by name, because a custom module may contain another copy of this class. */
  static readonly kind = 'connector';
  static readonly parameters: TObject;

  /** Returns all mistakes that the schema cannot express. Must have no side effects. */
  static check?(params: never): Iterable<ParameterProblem>;

  /**
   * Returns the local files that the connector uses but that no parameter marked as a file names. Must have no side
   * effects.
   */
  static touches?(params: never, name: string): Iterable<TouchedFile>;

  /** Returns true if a run only publishes what is new since the last run. */
  static goesOn?(params: never): boolean;

  /**
   * Returns true if a run marks what it has read, so that later runs do not read it again: they publish only what is
   * new, or files are moved.
   */
  static marksRead?(params: never): boolean;

  /**
   * Returns true if the connector runs until a user stops it, or until a time in its parameters. The default value of
   * `runner.connectorTimeout` does not apply to it. A value in the config does.
   */
  static endless?(params: never): boolean;

  /**
   * Returns true if the connector would read this local file (an absolute path) because it is in a folder that the
   * connector reads.
   */
  static meets?(params: never, file: string): boolean;

  /** True if the connector always fails without a pipeline. */
  static readonly needsPipeline: boolean = false;

  readonly params: Static<P>;
  readonly context: ConnectorContext;

  /** A line for the run summary. The connector may set it. */
  message: string | undefined;

  constructor(params: Static<P>, context: ConnectorContext) {
    this.params = params;
    this.context = context;
  }

  /** Checks whether the source is available, without a run. See `ChecksAccess`. */
  checkAccess?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  preExecute?(): void | Promise<void>;

  /** @param publisher undefined if the connector has no pipeline and cannot publish */
  abstract execute(publisher: Publisher | undefined): void | Promise<void>;

  /**
   * Marks as read what counts as read, see `Publisher.settled`. Called when every document is finished, also if the run
   * fails because of them, and if `Publisher.readAtEnd` when the output is complete. Not called if the connector fails
   * or is stopped: what it has not marked is read again by the next run.
   */
  markRead?(end: ConnectorEnd): void | Promise<void>;

  /** Not called if the run fails because of failed documents. */
  postExecute?(): void | Promise<void>;

  close?(): void | Promise<void>;
}

/** How the documents of a connector have ended. */
export interface ConnectorEnd {
  /** True if too many documents failed: the run fails. */
  readonly failed: boolean;
}

/** A connector class, as the registry stores it. */
export interface ConnectorClass {
  readonly parameters: TObject;
  readonly check?: (params: never) => Iterable<ParameterProblem>;
  readonly touches?: (params: never, name: string) => Iterable<TouchedFile>;
  readonly goesOn?: (params: never) => boolean;
  readonly marksRead?: (params: never) => boolean;
  readonly endless?: (params: never) => boolean;
  readonly meets?: (params: never, file: string) => boolean;
  readonly needsPipeline?: boolean;
  new (params: never, context: ConnectorContext): Connector;
}
