import type { Logger } from '@headrace/engine';

/** What a format must know of the connector that publishes with it. */
export interface FormatContext {
  /** Goes before every id. */
  readonly docIdPrefix: string;
  readonly log: Logger;
}
