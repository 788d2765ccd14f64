import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { FailedAtIndexer } from './accounts.ts';
import type { SharedIndexing } from './indexing-statistics.ts';
import type { ConfirmationListener } from './unconfirmed.ts';

/** Receives the results of documents, part by part. */
export interface IndexingListener extends Pick<ConfirmationListener, 'onConfirmed' | 'onUnconfirmed'> {
  /** Called for each part in the order of the batches, when its results count. */
  onPart(part: OutcomePart): void;
  onSucceeded(count: number): void;
  onFailed(failed: Omit<FailedAtIndexer, 'encoding'>): void;
  /** Called after a batch was written. There may be capacity for more. */
  onSpace(): void;
  /** Counts the sent batches. */
  readonly statistics?: SharedIndexing;
}
