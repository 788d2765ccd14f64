import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { Notices } from '../notices/notice.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem, TouchedFile } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** The environment of a stage. */
export interface StageContext {
  /** The name of the stage in its pipeline, from the config or `stage_<n>`. */
  readonly name: string;
  readonly pipeline: string;
  /** The id of the run. Empty in a preview. */
  readonly runId: string;
  /** A name for this pipeline thread. A stage can use it in the name of a file that each thread writes. */
  readonly threadName: string;
  /**
   * The number of this pipeline thread, from 1. The first thread starts before any document. Other threads start when
   * they are needed.
   */
  readonly threadNumber: number;
  /**
   * Data for the other pipeline threads of the connector. Entries that stages add in `start` on the first thread exist
   * when stages start on a later thread. They must be cloneable. Large data belongs in `SharedArrayBuffer`s, which
   * are not copied.
   */
  readonly shared: Map<string, unknown>;
  /** True if the config comes from the operator of the process (a file, a preset). Its scripts need no sandbox. */
  readonly trusted: boolean;
  /**
   * The maximum computing time of a document in milliseconds (`worker.maxProcessingSecs`). The engine enforces it in
   * its threads. A stage that computes in a separate process must enforce it itself. Absent means no limit.
   */
  readonly computeMillis?: number;
  /** True in a preview. A preview shows the resulting documents and must not change anything outside. */
  readonly preview?: boolean;
  /** A stage with a cache calls this for each lookup, with true if the cache had the value. */
  readonly onCacheLookup?: (isHit: boolean) => void;
  readonly log: Logger;
  readonly notices: Notices;
}

/**
 * The children that a stage emits: new documents, each with a separate id. They pass through the later stages before
 * the document itself. The engine owns a child when the stage has emitted it.
 */
export type Children = Iterable<Document>;

// biome-ignore lint/suspicious/noConfusingVoidType: a stage without children just returns
export type StageResult = Children | void;

/**
 * A stage changes a document in place and may emit children.
 * A subclass is one file with a class comment, `static parameters` with a doc comment for each parameter, and
 * `process`. The constructor may prepare data, such as compile a pattern, but must have no side effects, because the
 * config check also constructs stages. Files, connections and large libraries belong in `start`. Each pipeline thread
 * has a separate instance. An error in `process` fails only that document.
 */
export abstract class Stage<P extends TObject = TObject> {
  /** Identifies the base class by name, because a custom module may contain another copy of this class. */
  static readonly kind = 'stage';
  static readonly parameters: TObject;

  /**
   * Returns all mistakes that the schema cannot express, such as lists of different length. Must have no side effects.
   */
  static check?(params: never): Iterable<ParameterProblem>;

  /**
   * Returns the local files that the stage uses but that no parameter marked as a file names. Must have no side
   * effects.
   */
  static touches?(params: never, name: string): Iterable<TouchedFile>;

  readonly params: Static<P>;
  readonly context: StageContext;

  /**
   * The maximum number of documents in `process` at the same time in a pipeline thread, if `process` returns promises:
   * a whole number from 1. The order of the documents is kept. Stages that only compute leave it at 1.
   */
  readonly maxInFlight: number = 1;

  constructor(params: Static<P>, context: StageContext) {
    this.params = params;
    this.context = context;
  }

  /** Checks whether everything that the stage needs is available, without a run. See `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  start?(): void | Promise<void>;

  /**
   * Changes the document in place. Returns nothing, or the children: a list, or a generator (`*process`), or a promise
   * of a list. The document belongs to the stage until the promise is settled: afterwards it must not change it. A
   * promise that is never settled holds all later documents, so every request needs a time limit.
   */
  abstract process(document: Document): StageResult | Promise<StageResult>;

  /**
   * Does the same as `process` for all documents of a table. Optional. The most common stages implement it for speed.
   * The result for a document must not depend on earlier documents: documents with other fields, such as children, may
   * be in another table, which comes before or after it.
   * If it returns false or throws, the engine rolls back the changes to the table and processes each document
   * separately. It must finish its work before it returns: it cannot be async.
   */
  processTable?(table: DocumentTable): boolean;

  stop?(): void | Promise<void>;
}

/** A stage class, as the registry stores it. */
export interface StageClass {
  readonly parameters: TObject;
  readonly check?: (params: never) => Iterable<ParameterProblem>;
  readonly touches?: (params: never, name: string) => Iterable<TouchedFile>;
  new (params: never, context: StageContext): Stage;
}
