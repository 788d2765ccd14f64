import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem, TouchedFile } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** What a stage may know about its environment. */
export interface StageContext {
  /** The stage's name in its pipeline, given or `stage_<n>`. */
  readonly name: string;
  readonly pipeline: string;
  /** The id of the run; empty in a preview. */
  readonly runId: string;
  /** A name for this pipeline thread, for example to name a file that each thread writes. */
  readonly threadName: string;
  /**
   * The number of this pipeline thread, from 1. The first starts before any document, the others when there is work for
   * them.
   */
  readonly threadNumber: number;
  /** Whether the config comes from the operator of the process (a file, a preset). Its scripts need no sandbox. */
  readonly trusted: boolean;
  /**
   * How many milliseconds a document may compute (`worker.maxProcessingSecs`). The engine enforces the limit in its own
   * threads. A stage that computes in a separate process must enforce it itself. Absent if there is no limit.
   */
  readonly computeMillis?: number;
  /** Whether this is a preview: it shows the result for documents, and must not change anything outside. */
  readonly preview?: boolean;
  readonly log: Logger;
}

/** Children that a stage emits. They pass the later stages before the document itself. */
export type Children = Iterable<Document>;

// biome-ignore lint/suspicious/noConfusingVoidType: a stage without children just returns
export type StageResult = Children | void;

/**
 * A stage changes a document in place and may emit children.
 * A subclass is one file: a class comment, `static parameters` with a doc comment on each, and `process`. The
 * constructor may prepare (compile a pattern) but has no side effects: validation constructs stages too. Files,
 * connections and heavy libraries belong in `start`. Each pipeline thread has its own instance. An error in `process`
 * fails only that document.
 */
export abstract class Stage<P extends TObject = TObject> {
  /**
   * Identifies the base class to the registry by name, because a custom module may bring its own copy of this class.
   */
  static readonly kind = 'stage';
  static readonly parameters: TObject;

  /** Mistakes that the schema cannot express (lists of unequal length, a bad pattern), all at once. No side effects. */
  static check?(params: never): Iterable<ParameterProblem>;

  /** Local files that it reads or writes and that no marked parameter names. No side effects. */
  static touches?(params: never, name: string): Iterable<TouchedFile>;

  readonly params: Static<P>;
  readonly context: StageContext;

  /**
   * How many documents may be in `process` at once, per pipeline thread, if it returns promises. Their order is kept.
   * Stages that only compute leave it at 1.
   */
  readonly maxInFlight: number = 1;

  constructor(params: Static<P>, context: StageContext) {
    this.params = params;
    this.context = context;
  }

  /** Checks without a run whether what it needs is available: see `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  start?(): void | Promise<void>;

  abstract process(document: Document): StageResult | Promise<StageResult>;

  /**
   * Optional: does to all documents of a table what `process` does to each. Used for speed in the most common stages.
   * Return false, or throw, if these documents must be processed one by one. The engine then rolls back the changes to
   * the table.
   */
  processTable?(table: DocumentTable): boolean;

  stop?(): void | Promise<void>;
}

/** A class of stages, as the registry holds it. */
export interface StageClass {
  readonly parameters: TObject;
  readonly check?: (params: never) => Iterable<ParameterProblem>;
  readonly touches?: (params: never, name: string) => Iterable<TouchedFile>;
  new (params: never, context: StageContext): Stage;
}
