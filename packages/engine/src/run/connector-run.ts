import type { Connector, ConnectorClass } from '../component/connector.ts';
import { createLogger, type Logger } from '../component/logger.ts';
import { wholeRunParameter } from '../config/check-outputs.ts';
import type { ConnectorConfig } from '../config/ingest-config.ts';
import type { PipelineConfig } from '../execution/pipeline-config.ts';
import { Accounts } from './accounts.ts';
import { type ConnectorFailure, connectorFailure, inPhase } from './connector-failure.ts';
import { ConnectorPipeline } from './connector-pipeline.ts';
import { type DocumentSource, DocumentTransfer } from './document-transfer.ts';
import { documentsOf, exceededNotices } from './notice-limits.ts';
import type { RetrySource } from './retry-source.ts';
import type { RunContext } from './run-context.ts';
import type { ConnectorResult } from './run-result.ts';
import { connectorMillis, OverdueError, withinLimits } from './time-limits.ts';

/** The source of the documents: a connector, or the failed documents of another run. */
type RunSource = Pick<Connector, 'message' | 'preExecute' | 'markRead' | 'postExecute' | 'close'> & DocumentSource;

/** The result of a connector, and the reasons of its failures. */
export interface ConnectorOutcome {
  readonly result: ConnectorResult;
  readonly failures: readonly ConnectorFailure[];
}

/** Runs one connector from `preExecute` to `close`, with its pipeline and the indexer. */
export class ConnectorRun {
  readonly accounts: Accounts;
  readonly #context: RunContext;
  readonly #config: ConnectorConfig;
  readonly #retry: RetrySource | undefined;
  readonly #logger: Logger;
  #received = 0;
  #undelivered = 0;
  #connector: RunSource | undefined;
  readonly #failures: ConnectorFailure[] = [];
  /** True if the connector has published everything, and marks it as read when the output of the run is complete. */
  #waits = false;
  #started = performance.now();
  /** The time of the run, in seconds. */
  #took = 0;
  #timeoutMillis: number;

  /** @param retry replaces the connector, which is not created in this case */
  constructor(context: RunContext, config: ConnectorConfig, retry?: RetrySource) {
    this.#retry = retry;
    this.#context = context;
    this.#config = config;
    // A retry has the default time limit of a normal connector, because it publishes a limited number of documents.
    this.#timeoutMillis = connectorMillis(context.config.runner.connectorTimeout, {}, {});
    this.#logger = createLogger(config.name, context.log);
    this.accounts = new Accounts(config, context.counts, context.reports, context.failureLimit, this.#logger);
  }

  /**
   * Runs the connector. Never rejects: errors are in the result, and `failures` has the reasons. If the output of the
   * run is put into use as a whole, the connector stays open: see `end`.
   */
  async run(): Promise<ConnectorOutcome> {
    const { pipeline } = this.#config;
    try {
      this.#connector = await this.#starting(() => this.#create());
      if (pipeline === undefined) await this.#executeAlone(this.#connector);
      else await this.#executeWithPipeline(this.#connector, this.#pipelineConfig(pipeline));
    } catch (error) {
      this.#waits = false;
      const failure = connectorFailure(
        error,
        { text: 'Connector exception.', code: 'HR_INTERNAL', timed: true },
        this.#logger,
      );
      // If the run was stopped, an overdue connector is not a failure.
      if (!(error instanceof OverdueError && error.overdue.reason === 'stopped')) this.#failures.push(failure);
    }
    if (!this.#waits) await this.#close();
    this.#took = (performance.now() - this.#started) / 1000;
    return this.#outcome();
  }

  /**
   * Ends a connector that has waited for the output of the run: it marks as read what counts as read, if the output is
   * complete. Returns undefined if the connector has not waited.
   */
  async end(isComplete: boolean): Promise<ConnectorOutcome | undefined> {
    if (!this.#waits) return undefined;
    try {
      if (isComplete) await this.#markRead(false);
    } catch (error) {
      this.#failures.push(
        connectorFailure(error, { text: 'markRead failed', code: 'HR_CONNECTOR_FAILED' }, this.#logger),
      );
    }
    await this.#close();
    return this.#outcome();
  }

  async #close(): Promise<void> {
    try {
      await this.#connector?.close?.();
    } catch (error) {
      this.#failures.push(
        connectorFailure(error, { text: 'Error closing connector', code: 'HR_CONNECTOR_FAILED' }, this.#logger),
      );
    }
  }

  #outcome(): ConnectorOutcome {
    const { name, pipeline } = this.#config;
    const failures = this.#failures;
    const connector = this.#connector;
    // As in the reference, the summary shows the text of the last failure. All failures are reported as reasons.
    const shown = failures.at(-1);
    return {
      failures,
      result: {
        name,
        status: shown !== undefined ? 'failed' : this.#context.signal.aborted ? 'stopped' : 'complete',
        hasPipeline: pipeline !== undefined,
        counts: { ...this.accounts.counts },
        ...(this.#undelivered === 0 ? {} : { undelivered: this.#undelivered }),
        received: this.#received,
        seconds: this.#took,
        ...(shown === undefined ? {} : { error: { text: shown.text, timed: shown.timed } }),
        ...(connector?.message === undefined ? {} : { message: connector.message }),
      },
    };
  }

  async #create(): Promise<RunSource> {
    if (this.#retry !== undefined) return this.#retry;
    const { registry, runId, notices } = this.#context;
    const { entry, params, name, docIdPrefix } = this.#config;
    const Class: ConnectorClass = await registry.load(entry, 'connector');
    this.#timeoutMillis = connectorMillis(this.#context.config.runner.connectorTimeout, Class, params);
    return new Class(params as never, {
      name,
      docIdPrefix,
      runId,
      log: this.#logger,
      notices: notices.of({ component: name }),
      signal: this.#context.signal,
      preview: false,
    });
  }

  #pipelineConfig(name: string): PipelineConfig {
    // The config check guarantees that the pipeline exists.
    return this.#context.config.pipelines.find((pipeline) => pipeline.name === name) as PipelineConfig;
  }

  async #executeAlone(connector: RunSource): Promise<void> {
    await this.#phase('preExecute failed.', () => this.#starting(() => connector.preExecute?.()));
    this.#started = performance.now();
    // A retry always has a pipeline, so this is a connector.
    const work = async () => (connector as Connector).execute(undefined);
    await this.#phase('execute failed.', () =>
      withinLimits(work(), this.#timeoutMillis, this.#context.signal, () => undefined),
    );
    if (this.#context.signal.aborted) return;
    await this.#markRead(false);
    await this.#phase('postExecute failed', () => connector.postExecute?.());
  }

  async #executeWithPipeline(connector: RunSource, pipeline: PipelineConfig): Promise<void> {
    const context = this.#context;
    const indexer = await context.indexer();
    const { config, registry } = context;
    const readAtEnd = (await wholeRunParameter(config.indexer, registry)) !== undefined;
    const through = new ConnectorPipeline(context, this.#config, pipeline, indexer, this.accounts);
    try {
      await this.#phase(`Error starting workers for pipeline ${pipeline.name}`, () => through.pool.start());
      await this.#phase('Indexer could not connect.', () => indexer.connect());
      await this.#phase('preExecute failed.', () => this.#starting(() => connector.preExecute?.()));
      this.#started = performance.now();
      await this.#deliver(connector, through, readAtEnd);
      if (context.signal.aborted) return;
      const failed = this.#failsRun();
      if (!readAtEnd) await this.#markRead(failed);
      if (!failed) await this.#phase('postExecute failed', () => connector.postExecute?.());
      this.#waits = readAtEnd;
    } finally {
      await through.close(this.#logger);
    }
  }

  #markRead(failed: boolean): Promise<void> {
    return this.#phase('markRead failed', () => this.#connector?.markRead?.({ failed }));
  }

  async #deliver(
    source: RunSource,
    { pool, indexing, flow, tracks, largeChunks }: ConnectorPipeline,
    readAtEnd: boolean,
  ): Promise<void> {
    const transfer = new DocumentTransfer({
      source,
      pool,
      indexing,
      flow,
      tracks,
      accounts: this.accounts,
      reports: this.#context.reports,
      signal: this.#context.signal,
      timeoutMillis: this.#timeoutMillis,
      collapse: this.#config.collapse,
      maxPending: this.#context.config.publisher.maxPendingDocs,
      largeChunks,
      readAtEnd,
      logger: this.#logger,
      notices: this.#context.notices.of({ component: this.#config.name }),
    });
    try {
      await transfer.run();
    } finally {
      this.#received = transfer.received;
      this.#undelivered = indexing.undelivered;
    }
  }

  /** Returns true if the run fails because too many documents failed, or because of notices. */
  #failsRun(): boolean {
    const { failureLimit, counts, config, notices } = this.#context;
    const written = counts.readWithHeld();
    const failure =
      failureLimit.atEnd(written) ?? exceededNotices(config.noticeRules, notices.list(), documentsOf(written));
    // For undelivered documents, the connector leaves its source unchanged and reports the failure itself.
    if (failure === undefined || this.#undelivered > 0) return false;
    this.#logger.warn(`${failure.message}: postExecute is skipped`);
    return true;
  }

  #starting<T>(work: () => T | Promise<T>): Promise<T> {
    const { name, entry } = this.#config;
    return this.#context.starting({ what: `Connector ${name} (${entry.name})`, code: 'HR_CONNECTOR_FAILED' }, work);
  }

  #phase(text: string, work: () => unknown): Promise<void> {
    return inPhase(text, this.#logger, work);
  }
}
