import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import type { Logger } from './logger.ts';
import type { ParameterProblem, TouchedFile } from './parameters.ts';
import type { ReportProblem } from './reach.ts';
import type { Static, TObject } from './schema.ts';

/** What a stage may know about where it runs. */
export interface StageContext {
  /** The stage's name in its pipeline, given or `stage_<n>`. */
  readonly name: string;
  readonly pipeline: string;
  /** The id of the run; empty in a preview. */
  readonly runId: string;
  /** Names this pipeline thread, for example in names of files that are written by each of them. */
  readonly threadName: string;
  /** The number of this pipeline thread, from 1. The first is started before any document, the others when there is work for them. */
  readonly threadNumber: number;
  /** Whether the config comes from who runs the process (a file, a preset): its scripts need no sandbox. */
  readonly trusted: boolean;
  /**
   * How many milliseconds a document may compute (`worker.maxProcessingSecs`). The engine holds that in its own threads; a
   * stage that computes in a process of its own has to. Absent where documents may compute as long as they like.
   */
  readonly computeMillis?: number;
  /** Whether this is a preview: it shows what becomes of documents, and is to leave nothing behind. */
  readonly preview?: boolean;
  readonly log: Logger;
}

/** Children that a stage emits: they go on through the later stages, before the document itself. */
export type Children = Iterable<Document>;

// biome-ignore lint/suspicious/noConfusingVoidType: a stage without children just returns
export type StageResult = Children | void;

/**
 * A stage changes a document in place and may emit children.
 *
 * A subclass is one file: a class comment, `static parameters` with a doc comment on each, and what it does. The
 * constructor may prepare (compile a pattern) but has no side effects: validation constructs stages too.
 * Files, connections and heavy libraries belong into `start`. Each pipeline thread has its own instance.
 * Anything that `process` throws fails that one document.
 */
export abstract class Stage<P extends TObject = TObject> {
  /** Tells the registry what it has loaded; by name, because a custom module may bring its own copy of this class. */
  static readonly kind = 'stage';
  static readonly parameters: TObject;

  /** Mistakes that the schema cannot express (lists of unequal length, a bad pattern), all at once. No side effects. */
  static check?(params: never): Iterable<ParameterProblem>;

  /** Local files that it touches besides those that its parameters name for that. No side effects. */
  static touches?(params: never, name: string): Iterable<TouchedFile>;

  readonly params: Static<P>;
  readonly context: StageContext;

  /**
   * How many documents may be in `process` at once, per pipeline thread, when it returns promises. Their
   * order is kept all the same. Stages that only compute leave it at 1.
   */
  readonly maxInFlight: number = 1;

  constructor(params: Static<P>, context: StageContext) {
    this.params = params;
    this.context = context;
  }

  /** Whether what it talks to is there, without a run: see `Reachable`. */
  reach?(report: ReportProblem, signal: AbortSignal): Promise<void>;

  start?(): void | Promise<void>;

  abstract process(document: Document): StageResult | Promise<StageResult>;

  /**
   * Does to all documents of a table what `process` does to each, if it can: stages that most pipelines have many of
   * are faster by it, all others go without. False (or an error) when these documents have to be processed one by
   * one; the engine then takes back what was done to the table.
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
