import type { Logger } from '../component/logger.ts';
import type { FailureReports } from '../failures/failure-reports.ts';
import type { Notices } from '../notices/notice.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import type { Accounts } from './accounts.ts';
import type { BatchTracks } from './batch-tracks.ts';
import { BatchingPublisher } from './batching-publisher.ts';
import { ConnectorFailure, connectorFailure, reasonOf } from './connector-failure.ts';
import type { Indexing } from './indexing.ts';
import type { PipelinePool } from './pipeline-pool.ts';
import { withinLimits } from './time-limits.ts';

/** The time that unfinished documents get to finish after their connector is abandoned. */
const ABORT_GRACE_MILLIS = 1000;

/** A publisher of documents: a connector, or the documents of a retry. */
export interface DocumentSource {
  execute(publisher: BatchingPublisher): void | Promise<void>;
}

export interface DocumentTransferOptions {
  readonly source: DocumentSource;
  readonly pool: Pick<
    PipelinePool,
    'waitForSpace' | 'submit' | 'submitted' | 'check' | 'drain' | 'failed' | 'lost' | 'refuse'
  >;
  readonly indexing: Pick<Indexing, 'settled' | 'hurry' | 'flush' | 'abort' | 'undelivered'>;
  readonly flow: Pick<FlowControl, 'stop' | 'stopped'>;
  readonly tracks: Pick<BatchTracks, 'begin'>;
  readonly accounts: Pick<Accounts, 'counts' | 'waitForPending' | 'rejected' | 'lost'>;
  /** The failure reports of the run. */
  readonly reports: Pick<FailureReports, 'stored' | 'unkept'>;
  /** This signal is aborted when the run must stop. */
  readonly signal: AbortSignal;
  /** The time limit in milliseconds; 0 means no limit. */
  readonly timeoutMillis: number;
  /** True to merge consecutive documents with the same id. */
  readonly collapse: boolean;
  /**
   * The maximum number of pending documents. Publishing waits when it is reached. Undefined, 0 or less means no limit.
   */
  readonly maxPending: number | undefined;
  /** True if the indexer prefers large chunks. */
  readonly largeChunks?: boolean | undefined;
  /** True if documents count as read only when the output of the run is complete. */
  readonly readAtEnd?: boolean | undefined;
  readonly logger: Logger;
  /** The notices of the source. */
  readonly notices: Notices;
}

/** Moves all documents of one source through the pipeline threads to the indexer. */
export class DocumentTransfer {
  readonly #options: DocumentTransferOptions;
  readonly #publisher: BatchingPublisher;
  /**
   * True after the source is abandoned. Documents that still finish count with their real result, also in a broken
   * batch.
   */
  #isGivenUp = false;

  constructor(options: DocumentTransferOptions) {
    const { pool, indexing, flow, tracks, accounts, reports, signal, collapse, maxPending = 0 } = options;
    const { largeChunks, readAtEnd, logger, notices } = options;
    this.#options = options;
    this.#publisher = new BatchingPublisher({
      signal,
      log: logger,
      notices,
      collapse,
      maxPending: maxPending > 0 ? maxPending : undefined,
      largeChunks,
      waitForSpace: (bytes) => pool.waitForSpace(bytes),
      submit: (batch, tracked) => {
        if (tracked !== undefined) tracks.begin(pool.submitted, tracked);
        pool.submit(batch);
      },
      waitForPending: (most) => accounts.waitForPending(most, () => pool.failed !== undefined || flow.stopped),
      settled: async () => {
        await indexing.settled(pool.submitted);
        // Some documents of a broken batch may never have been processed.
        if (!this.#isGivenUp) pool.check();
      },
      hurry: () => indexing.hurry(pool.submitted),
      failuresStored: () => reports.stored(),
      unread: () => ({ undelivered: indexing.undelivered, unkept: reports.unkept }),
      readAtEnd,
      onReject: (record) => accounts.rejected(record),
    });
  }

  /** The number of documents that the source published, before collapsing. */
  get received(): number {
    const { collapse, accounts } = this.#options;
    return collapse ? this.#publisher.received : accounts.counts.published;
  }

  /**
   * Resolves when the last document is indexed. If it rejects, all published documents are counted: unfinished
   * documents count as failed.
   */
  async run(): Promise<void> {
    const { flow, signal, timeoutMillis } = this.#options;
    let completed = false;
    try {
      await withinLimits(this.#publishAll(), timeoutMillis, signal, () => flow.stop());
      completed = true;
    } catch (error) {
      await this.#abandon(error);
      throw error;
    } finally {
      // There is nothing to log for a connector that failed before it published a document.
      if (completed || this.#options.accounts.counts.published > 0) this.#logCounts();
    }
  }

  async #publishAll(): Promise<void> {
    const { source, pool, indexing, signal, logger } = this.#options;
    let failed: ConnectorFailure | undefined;
    try {
      await source.execute(this.#publisher);
      await this.#publisher.flush();
    } catch (error) {
      // A source may throw an error because of a stop request.
      if (!signal.aborted) {
        const phase = { text: 'Connector exception.', code: 'HR_CONNECTOR_FAILED', timed: true } as const;
        failed = connectorFailure(error, phase, logger);
      }
      // Finishes the documents that were published before the error. A later failure must not lose them.
      await this.#publisher.flush().catch(() => undefined);
    }
    this.#publisher.close();
    await pool.drain();
    if (!pool.lost) await indexing.flush();
    if (failed === undefined) this.#publisher.checkLate();
    if (pool.failed !== undefined) throw new ConnectorFailure('Connector exception.', pool.failed, true);
    if (failed !== undefined) throw failed;
  }

  async #abandon(error: unknown): Promise<void> {
    const { pool, indexing, flow, accounts } = this.#options;
    flow.stop();
    const failure = reasonOf(error);
    this.#isGivenUp = pool.failed === undefined;
    pool.refuse(failure);
    await indexing.abort(failure, ABORT_GRACE_MILLIS);
    accounts.lost(this.#publisher.abandon(), failure);
  }

  #logCounts(): void {
    const { published, created, succeeded, failed, dropped } = this.#options.accounts.counts;
    const { received } = this;
    const collapsed = received !== published ? ` (${published} after collapsing)` : '';
    this.#options.logger.info(
      `${received} docs published${collapsed}. ${created} children created. ${succeeded} success events. ` +
        `${failed} failure events. ${dropped} drop events.`,
    );
  }
}
