import type { CustomNoticeCode, NoticeClass, NoticeCode } from './notice-table.ts';

/** One case of a notice. All members are optional: a component gives what it knows. */
export interface NoticeDetails {
  /** The id of the document. */
  readonly document?: string | undefined;
  readonly file?: string | undefined;
  /** The line and the column in the file, from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly field?: string | undefined;
  /** The value of the source. Examples show its first 100 characters. */
  readonly value?: unknown;
  /** The cause, or what the user can do, if the code alone does not say it. */
  readonly hint?: string | undefined;
  /** The number of cases, if it is not one. A whole number. */
  readonly count?: number | undefined;
}

/**
 * Counts what a component skips, cuts, guesses, replaces or changes in the data without failing a document. The run
 * counts each code and keeps the first examples. Call it only if there is something to report: a clean source then costs
 * nothing.
 */
export interface Notices {
  report(code: NoticeCode, details?: NoticeDetails): void;
  /** @param code the code of a custom component. A component has at most 20 */
  report(code: CustomNoticeCode, details: NoticeDetails & { readonly class: NoticeClass }): void;
}

/** Ignores all notices, for components that are created only for a check or a description. */
export const silentNotices: Notices = { report() {} };

/** One of the first cases of a notice. */
export interface NoticeExample {
  document?: string;
  file?: string;
  line?: number;
  column?: number;
  field?: string;
  value?: string;
  hint?: string;
}

/** The component that reports notices. */
export interface NoticeSource {
  /** The name of the connector or the stage, or the class name of the indexer. */
  readonly component: string;
  /** The pipeline of a stage. */
  readonly pipeline?: string | undefined;
}

/** The cases of one code in one component. */
export interface Notice extends NoticeSource {
  readonly code: string;
  readonly class: NoticeClass;
  /** What happened. Undefined for custom codes. */
  readonly meaning?: string;
  readonly count: number;
  /** The first cases, at most 5. */
  readonly examples: readonly NoticeExample[];
  /** True if the user has chosen to ignore it (`runner.notices`). The summary, the log and the pages leave it out. */
  readonly ignored?: true;
}
