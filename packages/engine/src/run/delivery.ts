import type { Logger } from '../component/logger.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import type { Accounts } from './accounts.ts';
import { BatchingPublisher } from './batching-publisher.ts';
import { ConnectorFailure, connectorFailure, reasonOf } from './connector-failure.ts';
import type { Indexing } from './indexing.ts';
import type { PipelinePool } from './pipeline-pool.ts';
import { withinLimits } from './time-limits.ts';

/** How long what is under way may take to finish when a connector is given up. */
const ABORT_GRACE_MILLIS = 1500;

/** Publishes documents: a connector, or documents that are run again. */
export interface DocumentSource {
  execute(publisher: BatchingPublisher): void | Promise<void>;
}

export interface DeliveryOptions {
  readonly source: DocumentSource;
  readonly pool: Pick<
    PipelinePool,
    'waitForSpace' | 'submit' | 'submitted' | 'check' | 'drain' | 'failed' | 'lost' | 'refuse'
  >;
  readonly indexing: Pick<Indexing, 'settled' | 'flush' | 'abort' | 'undelivered'>;
  readonly flow: Pick<FlowControl, 'stop' | 'stopped'>;
  readonly accounts: Pick<Accounts, 'counts' | 'waitForPending' | 'rejected' | 'lost'>;
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal;
  /** How long it may take, in milliseconds; 0: no limit. */
  readonly timeoutMillis: number;
  /** Merge consecutive documents of one id. */
  readonly collapse: boolean;
  /** Documents that may be pending before publishing waits; undefined, or not above 0: no such limit. */
  readonly maxPending: number | undefined;
  readonly logger: Logger;
}

/** Brings the documents of one source through the pipeline threads to the indexer, from the first to the last. */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #publisher: BatchingPublisher;
  /** After giving up, what still finishes is settled as it is, also in a batch that broke. */
  #isGivenUp = false;

  constructor(options: DeliveryOptions) {
    const { pool, indexing, flow, accounts, signal, collapse, maxPending = 0, logger } = options;
    this.#options = options;
    this.#publisher = new BatchingPublisher({
      signal,
      log: logger,
      collapse,
      maxPending: maxPending > 0 ? maxPending : undefined,
      waitForSpace: () => pool.waitForSpace(),
      submit: (batch) => pool.submit(batch),
      waitForPending: (most) => accounts.waitForPending(most, () => pool.failed !== undefined || flow.stopped),
      settled: async () => {
        await indexing.settled(pool.submitted);
        // Of a batch that broke, not all documents have been seen.
        if (!this.#isGivenUp) pool.check();
      },
      undelivered: () => indexing.undelivered,
      onReject: (record) => accounts.rejected(record),
    });
  }

  /** How many documents the source has published, before collapsing. */
  get received(): number {
    const { collapse, accounts } = this.#options;
    return collapse ? this.#publisher.received : accounts.counts.published;
  }

  /**
   * Resolves when the last document is indexed. When it rejects, every document that was published has been counted all
   * the same: those that were under way as failed.
   */
  async run(): Promise<void> {
    const { flow, signal, timeoutMillis } = this.#options;
    let completed = false;
    try {
      await withinLimits(this.#publishAll(), timeoutMillis, signal, () => flow.stop());
      completed = true;
    } catch (error) {
      await this.#giveUp(error);
      throw error;
    } finally {
      // A connector that failed before it had published anything has nothing to report.
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
      // A source that is asked to stop may throw an error.
      if (!signal.aborted) {
        const phase = { text: 'Connector exception.', code: 'HR_CONNECTOR_FAILED', timed: true } as const;
        failed = connectorFailure(error, phase, logger);
      }
      // Documents that were published before the error are finished: none is lost because something later failed.
      await this.#publisher.flush().catch(() => undefined);
    }
    await pool.drain();
    if (!pool.lost) await indexing.flush();
    if (pool.failed !== undefined) throw new ConnectorFailure('Connector exception.', pool.failed, true);
    if (failed !== undefined) throw failed;
  }

  async #giveUp(error: unknown): Promise<void> {
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
