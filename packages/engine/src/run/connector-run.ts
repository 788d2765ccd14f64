import type { ObjectNode } from '@headrace/hocon';
import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { Connector, ConnectorClass, ModuleReference } from '../component/connector.ts';
import type { Indexer } from '../component/indexer.ts';
import { createLogger, type Logger, type LogRecord } from '../component/logger.ts';
import type { Registry, RegistrySource } from '../component/registry.ts';
import type { ConnectorConfig, IngestConfig } from '../config/ingest-config.ts';
import { type Failure, messageOf, toFailure } from '../errors/headrace-error.ts';
import { encodingOf } from '../failures/encoded-documents.ts';
import type { FailureReports } from '../failures/failure-reports.ts';
import type { PipelineConfig } from '../pipeline/pipeline-config.ts';
import { currentRules } from '../policy/current-policy.ts';
import { FlowControl } from '../transport/flow-control.ts';
import type { MessageGate } from '../transport/message-gate.ts';
import { Accounts } from './accounts.ts';
import { BatchingPublisher } from './batching-publisher.ts';
import type { SharedCounts } from './counters.ts';
import type { FailureLimit } from './failure-limit.ts';
import { Indexing } from './indexing.ts';
import type { SharedIndexing } from './indexing-statistics.ts';
import { type IdleLanes, PipelinePool } from './pipeline-pool.ts';
import type { RetrySource } from './retry-source.ts';
import type { ConnectorResult } from './run-result.ts';
import { ConnectorStages, type SharedStatistics } from './stage-statistics.ts';
import type { ThreadStages } from './thread-messages.ts';
import { connectorMillis, OverdueError, withinLimits } from './time-limits.ts';

/** How long what is under way may take to finish when a connector is given up. */
const ABORT_GRACE_MILLIS = 1500;

/** What the connectors of a run share. */
export interface RunContext {
  readonly runId: string;
  readonly root: ObjectNode;
  readonly registrySource: RegistrySource;
  readonly trusted: boolean;
  readonly registry: Registry;
  readonly config: IngestConfig;
  readonly counts: SharedCounts;
  readonly indexing: SharedIndexing;
  readonly reports: FailureReports;
  readonly failureLimit: FailureLimit;
  readonly idle: IdleLanes;
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal;
  readonly defaultThreads: number;
  /** Sends a record of the run's own thread to the log. */
  readonly log: (record: LogRecord) => void;
  /** Sends on a record of a pipeline thread, which has passed the gate already. */
  readonly forwardLog: (record: LogRecord) => void;
  readonly logGate: MessageGate;
  /** Told of each pipeline thread when it is opened. */
  readonly onThread: (thread: ThreadStages) => void;
  /** The indexer, made at first use. Rejects with a `ConnectorFailure`. */
  indexer(): Promise<RunIndexer>;
}

/** The indexer of a run, and how to encode for it. */
export interface RunIndexer {
  /** Undefined when nothing is sent. */
  readonly indexer: Indexer | undefined;
  encoder(connector: string): ModuleReference | undefined;
  /** Opens the destination, once for the run. */
  connect(): Promise<void>;
}

/** A failure of a connector, with the words that the run summary has for it. */
export class ConnectorFailure extends Error {
  readonly text: string;
  readonly timed: boolean;
  readonly failure: Failure;

  constructor(text: string, failure: Failure, timed = false) {
    super(failure.message);
    this.text = text;
    this.timed = timed;
    this.failure = failure;
  }
}

/** What publishes the documents: a connector, or what stands in for it. */
type RunSource = Pick<Connector, 'message' | 'preExecute' | 'postExecute' | 'close'> & {
  execute(publisher: BatchingPublisher): void | Promise<void>;
};

/** Runs one connector from `preExecute` to `close`, with its pipeline and the indexer. */
export class ConnectorRun {
  readonly accounts: Accounts;
  private readonly context: RunContext;
  private readonly config: ConnectorConfig;
  private readonly retry: RetrySource | undefined;
  private readonly logger: Logger;
  private received = 0;
  private undelivered = 0;
  private started = performance.now();
  private timeoutMillis: number;

  /** @param retry takes the place of the connector: it is not made */
  constructor(context: RunContext, config: ConnectorConfig, retry?: RetrySource) {
    this.retry = retry;
    this.context = context;
    this.config = config;
    // Documents that are run again come to an end.
    this.timeoutMillis = connectorMillis(context.config.runner.connectorTimeout, {}, {});
    this.logger = createLogger(config.name, context.log);
    this.accounts = new Accounts(config, context.counts, context.reports, context.failureLimit, this.logger);
  }

  /** Never rejects: what went wrong is in the result, and the reasons in `failures`. */
  async run(): Promise<{ result: ConnectorResult; failures: ConnectorFailure[] }> {
    const { name, pipeline } = this.config;
    const failures: ConnectorFailure[] = [];
    let connector: RunSource | undefined;
    try {
      connector = await this.create();
      if (pipeline === undefined) await this.executeAlone(connector);
      else await this.executeWithPipeline(connector, this.pipelineConfig(pipeline));
    } catch (error) {
      const failure = this.wrap('Connector exception.', error, 'HR_INTERNAL', true);
      // What did not end in time after a stop is no failure of the connector.
      if (!(error instanceof OverdueError && error.overdue.reason === 'stopped')) failures.push(failure);
    }
    try {
      await connector?.close?.();
    } catch (error) {
      failures.push(this.wrap('Error closing connector', error, 'HR_CONNECTOR_FAILED'));
    }
    // As in the reference the last one gives the text; the reasons are told, all of them.
    const shown = failures.at(-1);
    return {
      failures,
      result: {
        name,
        status: shown !== undefined ? 'failed' : this.context.signal.aborted ? 'stopped' : 'complete',
        hasPipeline: pipeline !== undefined,
        counts: { ...this.accounts.counts },
        ...(this.undelivered === 0 ? {} : { undelivered: this.undelivered }),
        received: this.received,
        seconds: this.seconds(),
        ...(shown === undefined ? {} : { error: { text: shown.text, timed: shown.timed } }),
        ...(connector?.message === undefined ? {} : { message: connector.message }),
      },
    };
  }

  private async create(): Promise<RunSource> {
    if (this.retry !== undefined) return this.retry;
    const { registry, runId } = this.context;
    const { entry, params, name, docIdPrefix } = this.config;
    const Class: ConnectorClass = await registry.load({ ...entry, kind: 'connector' });
    this.timeoutMillis = connectorMillis(this.context.config.runner.connectorTimeout, Class, params);
    return new Class(params as never, {
      name,
      docIdPrefix,
      runId,
      log: this.logger,
      signal: this.context.signal,
      preview: false,
    });
  }

  private pipelineConfig(name: string): PipelineConfig {
    // Checked before the run: a connector's pipeline exists.
    return this.context.config.pipelines.find((pipeline) => pipeline.name === name) as PipelineConfig;
  }

  private async executeAlone(connector: RunSource): Promise<void> {
    await this.phase('preExecute failed.', () => connector.preExecute?.());
    this.started = performance.now();
    await this.phase('execute failed.', () =>
      this.limited(
        // What is run again always has a pipeline.
        async () => (connector as Connector).execute(undefined),
        () => undefined,
      ),
    );
    if (!this.context.signal.aborted) await this.phase('postExecute failed', () => connector.postExecute?.());
  }

  private async executeWithPipeline(connector: RunSource, pipeline: PipelineConfig): Promise<void> {
    const { context } = this;
    const flow = new FlowControl();
    const indexer = await this.context.indexer();
    const names = pipeline.stages.map(({ name, entry }) => ({ name, class: entry.name }));
    const stages = new ConnectorStages(this.config.name, pipeline.name, names);
    const onThread = (thread: SharedStatistics) => {
      stages.add(thread);
      const { buffer: statistics } = thread;
      context.onThread({ connector: this.config.name, pipeline: pipeline.name, stages: names, statistics });
    };
    const pool = this.createPool(pipeline, indexer, flow, { onPart: (part) => indexing.accept(part), onThread });
    const indexing = this.createIndexing(indexer, flow, () => pool.spaceFreed());
    try {
      await this.phase(`Error starting workers for pipeline ${pipeline.name}`, () => pool.start());
      await this.phase('Indexer could not connect.', () => indexer.connect());
      await this.phase('preExecute failed.', () => connector.preExecute?.());
      this.started = performance.now();
      await this.publishAll(connector, pool, indexing, flow);
      if (!context.signal.aborted && !this.failsRun())
        await this.phase('postExecute failed', () => connector.postExecute?.());
    } finally {
      const failures = await pool.close();
      for (const { stage, processed, meanMillis, children, failed } of stages.progress()) {
        this.logger.debug(
          `Stage ${stage} metrics. Docs processed: ${processed}. Mean latency: ${meanMillis.toFixed(4)} ms/doc. ` +
            `Children: ${children}. Errors: ${failed}.`,
        );
      }
      for (const failure of failures) this.logger.warn(`A stage could not stop: ${failure.message}`);
    }
  }

  /** Whether too many documents failed. Then the source must stay as it is: the run is to read it again. */
  private failsRun(): boolean {
    const { failureLimit, counts } = this.context;
    const failure = failureLimit.atEnd(counts.read());
    // Of documents that could not be delivered, connectors know: they leave their sources as they are, and say so.
    if (failure === undefined || this.undelivered > 0) return false;
    this.logger.warn(`${failure.message}: the source is not marked as read (postExecute is skipped)`);
    return true;
  }

  private createPool(
    pipeline: PipelineConfig,
    indexer: RunIndexer,
    flow: FlowControl,
    { onPart, onThread }: { onPart: (part: OutcomePart) => void; onThread: (thread: SharedStatistics) => void },
  ): PipelinePool {
    const { root, registrySource, trusted, runId, config, idle, defaultThreads, forwardLog } = this.context;
    // Whatever the check of the config saw.
    const { maxThreads = Number.POSITIVE_INFINITY, maxProcessingSecs = Number.POSITIVE_INFINITY } =
      currentRules()?.policy.limits ?? {};
    return new PipelinePool({
      open: {
        root,
        registry: registrySource,
        pipeline: pipeline.name,
        runId,
        trusted,
        encoder: indexer.encoder(this.config.name),
        lengths: indexer.indexer !== undefined && !indexer.indexer.streaming,
        // It has a default.
        computeMillis: Math.min(config.worker.maxProcessingSecs as number, maxProcessingSecs) * 1000,
        logGate: this.context.logGate.buffer,
        failureBudget: this.context.reports.budget.buffer,
      },
      stages: pipeline.stages.length,
      threads: Math.min(pipeline.threads ?? config.worker.threads ?? defaultThreads, maxThreads),
      flow,
      idle,
      listener: { onPart, onLog: forwardLog },
      onThread,
      onSubmit: (sequence, documents) => this.accounts.entered(sequence, documents),
    });
  }

  private createIndexing(indexer: RunIndexer, flow: FlowControl, onSpace: () => void): Indexing {
    const { config } = this.context;
    let encoding: string | undefined;
    const capacity = config.publisher.queueCapacity ?? Number.POSITIVE_INFINITY;
    return new Indexing(indexer.indexer, config.indexer.settings, capacity, flow, {
      onPart: (part) => this.accounts.settled(part),
      onSucceeded: (count) => this.accounts.succeeded(count),
      onFailed: (failed) => {
        encoding ??= encodingOf(indexer.encoder(this.config.name));
        this.accounts.failed({ ...failed, encoding });
      },
      onSpace,
      statistics: this.context.indexing,
    });
  }

  /** From the first document published to the last one indexed. */
  private async publishAll(
    connector: RunSource,
    pool: PipelinePool,
    indexing: Indexing,
    flow: FlowControl,
  ): Promise<void> {
    const { publisher: settings } = this.context.config;
    /** What is finished in spite of it is settled. */
    let isGivenUp = false;
    const publisher = new BatchingPublisher({
      signal: this.context.signal,
      log: this.logger,
      collapse: this.config.collapse,
      maxPending:
        settings.maxPendingDocs !== undefined && settings.maxPendingDocs > 0 ? settings.maxPendingDocs : undefined,
      waitForSpace: () => pool.waitForSpace(),
      submit: (batch) => pool.submit(batch),
      waitForPending: (most) => this.accounts.waitForPending(most, () => pool.failed !== undefined || flow.stopped),
      settled: async () => {
        await indexing.settled(pool.submitted);
        // Of a batch that broke, not all documents have been seen.
        if (!isGivenUp) pool.check();
      },
      undelivered: () => indexing.undelivered,
      onReject: (record) => this.accounts.rejected(record),
    });
    const work = async () => {
      let failed: ConnectorFailure | undefined;
      try {
        await connector.execute(publisher);
        await publisher.flush();
      } catch (error) {
        // A source that is told to stop may say so by an error.
        if (!this.context.signal.aborted)
          failed = this.wrap('Connector exception.', error, 'HR_CONNECTOR_FAILED', true);
        // What was published is finished all the same: nothing is lost because something later failed.
        await publisher.flush().catch(() => undefined);
      }
      await pool.drain();
      if (!pool.lost) await indexing.flush();
      if (pool.failed !== undefined) throw new ConnectorFailure('Connector exception.', pool.failed, true);
      if (failed !== undefined) throw failed;
    };
    let completed = false;
    try {
      await this.limited(work, () => flow.stop());
      completed = true;
    } catch (error) {
      flow.stop();
      const failure = failureOf(error);
      isGivenUp = pool.failed === undefined;
      pool.refuse(failure);
      await indexing.abort(failure, ABORT_GRACE_MILLIS);
      this.accounts.lost(publisher.abandon(), failure);
      throw error;
    } finally {
      const { published, created, succeeded, failed, dropped } = this.accounts.counts;
      this.undelivered = indexing.undelivered;
      this.received = this.config.collapse ? publisher.received : published;
      const collapsed = this.received !== published ? ` (${published} after collapsing)` : '';
      // Nothing to tell of a connector that failed before it had anything.
      if (completed || published > 0)
        this.logger.info(
          `${this.received} docs published${collapsed}. ${created} children created. ${succeeded} success events. ` +
            `${failed} failure events. ${dropped} drop events.`,
        );
    }
  }

  private limited(work: () => Promise<void> | void, onLastDocument: () => void): Promise<void> {
    const started = (async () => work())();
    return withinLimits(started, this.timeoutMillis, this.context.signal, onLastDocument);
  }

  private async phase(text: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof OverdueError) throw error;
      throw this.wrap(text, error, 'HR_CONNECTOR_FAILED');
    }
  }

  private wrap(text: string, error: unknown, code: Failure['code'], timed = false): ConnectorFailure {
    if (error instanceof ConnectorFailure) return error;
    if (error instanceof OverdueError) {
      const { reason, failure } = error.overdue;
      return new ConnectorFailure(reason === 'timeout' ? 'Connector timeout.' : text, failure, true);
    }
    this.logger.error(`${text.replace(/\.$/, '')}: ${messageOf(error)}`);
    return new ConnectorFailure(text, toFailure(error, code), timed);
  }

  private seconds(): number {
    return (performance.now() - this.started) / 1000;
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof ConnectorFailure) return error.failure;
  return error instanceof OverdueError ? error.overdue.failure : toFailure(error, 'HR_INTERNAL');
}
