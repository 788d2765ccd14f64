import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem, TouchedFile } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** What a connector may know about where it runs. */
export interface ConnectorContext {
  /** The connector's name, given or `connector_<n>`. */
  readonly name: string;
  /** Goes before every id that the connector makes. */
  readonly docIdPrefix: string;
  readonly runId: string;
  readonly log: Logger;
  /** Aborted when the run is to stop; the publisher has the same, but a connector without a pipeline has no publisher. */
  readonly signal: AbortSignal;
  /** Whether this is a preview: sources are to stay as they are, nothing is moved or deleted. */
  readonly preview: boolean;
}

/** Where the code that runs in another thread is found: an exported class of a module. */
export interface ModuleReference {
  /** URL of the module, made with `import.meta.url`. */
  readonly url: string;
  /** Name of the exported class. */
  readonly name: string;
  /** Handed to its constructor; plain data. */
  readonly options: unknown;
}

/** A piece of a source, cut at a record's end: it crosses to a pipeline thread as it is and is decoded there. */
export interface RecordChunk {
  /** The records. The memory is handed over: do not touch it again. */
  readonly bytes: Uint8Array;
  /** The class that decodes it, a `RecordDecoder`. */
  readonly decoder: ModuleReference;
  /** What the decoder needs to know of this piece (the number of its first record, …); plain data. */
  readonly position: unknown;
  /** How many documents it gives, where that is certain before it is decoded. */
  readonly documents?: number;
}

/** A record that cannot be read. It counts as published and failed; the others go on. */
export interface RejectedRecord {
  /** Where it stands: `movies.csv:17`. */
  readonly place: string;
  readonly message: string;
  /** The id, when it is known all the same. */
  readonly id?: string;
}

/** Takes what a decoder finds. */
export interface RecordSink {
  document(document: Document): void;
  /** Takes many documents of the same fields at once, if it can; in order with those that come one by one. */
  table?(table: DocumentTable): void;
  reject(record: RejectedRecord): void;
  warn(message: string): void;
}

/**
 * Turns a chunk into documents, in the pipeline threads: an instance each for every `ModuleReference`. The memory of
 * the bytes is taken back when the documents have been processed.
 */
export interface RecordDecoder {
  decode(bytes: Uint8Array, position: unknown, sink: RecordSink): void;
}

/**
 * Takes documents from a connector. Every call may have to wait until the pipeline keeps up: await it before
 * the next one. What is published belongs to the engine: do not touch it again.
 */
export interface Publisher {
  publish(document: Document): Promise<void> | undefined;
  publishChunk(chunk: RecordChunk): Promise<void>;
  reject(record: RejectedRecord): Promise<void> | undefined;
  /**
   * Resolves when all that was published before this call has come to its end, whichever: only then may a source forget
   * it. Rejects when the run gives up before, and with `HR_INDEXER_UNDELIVERED` when documents that were published since
   * the call before (or some before that) failed only because the destination took none: the source is to give them
   * again in another run. Publishing may go on meanwhile; where consecutive documents are collapsed it must, because the
   * last one waits for the next.
   */
  settled(): Promise<void>;
  /** Aborted when the run is to stop: read no further and return. */
  readonly signal: AbortSignal;
}

/**
 * A connector reads a source and publishes its documents, in the thread of the run. The order of calls:
 * `preExecute`, `execute`, then, when every document has come to its end, `postExecute`, and `close` in any
 * case. Anything thrown fails the connector and ends the run. The constructor has no side effects.
 */
export abstract class Connector<P extends TObject = TObject> {
  /** Tells the registry what it has loaded; by name, because a custom module may bring its own copy of this class. */
  static readonly kind = 'connector';
  static readonly parameters: TObject;

  /** Mistakes that the schema cannot express, all at once. No side effects. */
  static check?(params: never): Iterable<ParameterProblem>;

  /** Local files that it touches besides those that its parameters name for that. No side effects. */
  static touches?(params: never, name: string): Iterable<TouchedFile>;

  /** Whether a run gives only what is new since the last one: what that one gave does not come again. */
  static goesOn?(params: never): boolean;

  /**
   * Whether it runs until somebody stops it, or until a time that its own parameters name. The default of
   * `runner.connectorTimeout` does not end such a connector; a value that the config sets does.
   */
  static endless?(params: never): boolean;

  /** Whether it would read a local file, given as an absolute path, because that lies in a folder that it walks. */
  static meets?(params: never, file: string): boolean;

  /** Whether it fails without a pipeline, whatever it reads. */
  static readonly needsPipeline: boolean = false;

  readonly params: Static<P>;
  readonly context: ConnectorContext;

  /** A line for the run summary. */
  message: string | undefined;

  constructor(params: Static<P>, context: ConnectorContext) {
    this.params = params;
    this.context = context;
  }

  /** Whether what it talks to is there, without a run: see `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  preExecute?(): void | Promise<void>;

  /** @param publisher undefined for a connector without a pipeline: it has nowhere to publish to. */
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
