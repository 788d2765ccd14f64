/** A JSON object of a request or a response. */
export type Json = Readonly<Record<string, unknown>>;

/** Receives messages about what happens. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/** The result of a check of a new index. */
export interface CheckResult {
  readonly name: string;
  /** `not run`: the check does not apply to this run. */
  readonly outcome: 'passed' | 'failed' | 'not run';
  readonly found: string;
  readonly expected: string;
}

/** What a rebuild or a sync did at the end of a run. */
export interface FinishedIndex {
  readonly checks: readonly CheckResult[];
  /** The index that the alias pointed to before. Undefined if there is none, or the alias did not move. */
  readonly replaced?: string;
}

/** A saved query with the ids of the documents that it should find. */
export interface SavedQuery {
  readonly name?: string;
  readonly query: Json;
  readonly expected: readonly string[];
  /** The lowest nDCG of the first ten hits. */
  readonly minNdcg?: number;
  /** The lowest reciprocal rank of the first expected document. */
  readonly minMrr?: number;
}

/** Data of the source that is not in the output: the code of a notice of the class loss, and its number of cases. */
export interface Loss {
  readonly code: string;
  readonly count: number;
}

/** What a run has not written. */
export interface FinishedRun {
  /** How many documents failed. */
  readonly failed: number;
  readonly losses: readonly Loss[];
}

/** What a new index must fulfil. */
export interface Checks {
  readonly documents?: {
    readonly min?: number;
    readonly max?: number;
    readonly maxFewerPercent?: number;
    readonly maxMorePercent?: number;
  };
  readonly maxFailed?: number;
  /** The codes of notices of the class loss that the run may have. */
  readonly allowNotices?: readonly string[];
  /** For each field, the lowest percentage of documents that have it. */
  readonly required?: Iterable<readonly [string, number]>;
  readonly queries?: readonly SavedQuery[];
}

/** What a rebuild does. */
export interface RebuildPlan {
  /** The start of the names of new indices. */
  readonly base: string;
  readonly alias: string;
  /** How many older indices are kept. */
  readonly keep: number;
  readonly checks: Checks;
}
