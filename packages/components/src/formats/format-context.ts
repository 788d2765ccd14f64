import type { Logger } from '@headrace/engine';

/**
 * Receives what the summary of a run says about files in addition to its counts.
 * @param kind what was found, such as `bytes that do not decode`
 * @param why the place and the reason
 * @param count how many of them
 */
export type Note = (kind: string, why: string, count: number) => void;

/** What a format must know of the connector that publishes with it. */
export interface FormatContext {
  /** Goes before every id. */
  readonly docIdPrefix: string;
  readonly log: Logger;
  /** Absent where no summary shows it. */
  readonly note?: Note;
}
