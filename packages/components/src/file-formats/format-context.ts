import type { Logger } from '@headrace/engine';

/**
 * Receives a note about files for the summary of a run.
 * @param kind the kind of the problem, such as `bytes that do not decode`
 * @param why the position and the reason
 * @param count the number of occurrences
 */
export type Note = (kind: string, why: string, count: number) => void;

/** The settings of the connector that publishes with a format. */
export interface FormatContext {
  /** The prefix of every id. */
  readonly docIdPrefix: string;
  readonly log: Logger;
  /** Undefined if there is no summary to show the notes. */
  readonly note?: Note;
}
