import type { Logger, Notices } from '@headrace/engine';

/** The settings of the connector that publishes with a format. */
export interface FormatContext {
  /** The prefix of every id. */
  readonly docIdPrefix: string;
  readonly log: Logger;
  readonly notices: Notices;
}
