import type { FinishedDocuments } from '@headrace/engine';

/** A JSON object of a request or a response. */
export type Json = Readonly<Record<string, unknown>>;

/** Receives messages about what happens. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
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

/** What a run has not written: the number of failed documents, and the notices of the class loss. */
export type FinishedRun = Pick<FinishedDocuments, 'failed' | 'losses'>;
export type Loss = FinishedRun['losses'][number];

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
