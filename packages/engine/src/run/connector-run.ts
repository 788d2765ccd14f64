import { performance } from 'node:perf_hooks';
import type { ObjectNode } from '@headrace/hocon';
import type { Connector, ConnectorClass, ModuleReference } from '../component/connector.ts';
import type { Indexer } from '../component/indexer.ts';
import { createLogger, type Logger, type LogRecord } from '../component/logger.ts';
import type { Registry, RegistrySource } from '../component/registry.ts';
import type { ConnectorConfig, IngestConfig, PipelineConfig } from '../config/ingest-config.ts';
import { type Failure, messageOf, toFailure } from '../errors/headrace-error.ts';
import { FlowControl } from '../transport/flow-control.ts';
import type { LogGate } from '../transport/log-gate.ts';
import type { OutcomePart } from '../transport/messages.ts';
import { Signal } from '../transport/signal.ts';
import { BatchingPublisher } from './batching-publisher.ts';
import { type DocumentCounts, noDocuments, pendingDocuments, type SharedCounts } from './counters.ts';
import { Indexing } from './indexing.ts';
import { type IdleLanes, PipelinePool } from './pipeline-pool.ts';
import { type ConnectorResult, type FailedDocument, MAX_KEPT_FAILURES } from './run-result.ts';

/** How long what is under way may take to finish when a connector is given up. */
const ABORT_GRACE_MILLIS = 3000;

/** What the connectors of a run share. */
export interface RunContext {
  readonly runId: string;
  readonly root: ObjectNode;
  readonly registrySource: RegistrySource;
  readonly registry: Registry;
  readonly config: IngestConfig;
  readonly counts: SharedCounts;
  readonly failures: FailedDocument[];
  readonly idle: IdleLanes;
  /** Aborted when the run is to stop. */
  readonly signal: AbortSignal;
  readonly defaultThreads: number;
  /** Sends a record of the run's own thread to the log. */
  readonly log: (record: LogRecord) => void;
  /** Sends on a record of a pipeline thread, which has passed the gate already. */
  readonly forwardLog: (record: LogRecord) => void;
  readonly logGate: LogGate;
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

/** Runs one connector from `preExecute` to `close`, with its pipeline and the indexer. */
export class ConnectorRun {
  readonly counts: DocumentCounts = noDocuments();
  private readonly context: RunContext;
  private readonly config: ConnectorConfig;
  private readonly logger: Logger;
  private readonly changed = new Signal();
  private received = 0;
  private started = performance.now();

  constructor(context: RunContext, config: ConnectorConfig) {
    this.context = context;
    this.config = config;
    this.logger = createLogger(config.name, context.log);
  }

  /** Never rejects: what went wrong is in the result, and its reason in `failure`. */
  async run(): Promise<{ result: ConnectorResult; failure: Failure | undefined }> {
    const { name, pipeline } = this.config;
    let connector: Connector | undefined;
    let failed: ConnectorFailure | undefined;
    try {
      connector = await this.create();
      if (pipeline === undefined) await this.executeAlone(connector);
      else await this.executeWithPipeline(connector, this.pipelineConfig(pipeline));
    } catch (error) {
      failed =
        error instanceof ConnectorFailure ? error : this.wrap('Connector exception.', error, 'HR_INTERNAL', true);
    }
    try {
      await connector?.close?.();
    } catch (error) {
      failed = this.wrap('Error closing connector', error, 'HR_CONNECTOR_FAILED');
    }
    const stopped = this.context.signal.aborted;
    return {
      failure: failed?.failure,
      result: {
        name,
        status: failed !== undefined ? 'failed' : stopped ? 'stopped' : 'complete',
        hasPipeline: pipeline !== undefined,
        counts: { ...this.counts },
        received: this.received,
        seconds: this.seconds(),
        ...(failed === undefined ? {} : { error: { text: failed.text, timed: failed.timed } }),
        ...(connector?.message === undefined ? {} : { message: connector.message }),
      },
    };
  }

  private async create(): Promise<Connector> {
    const { registry, runId } = this.context;
    const { entry, params, name, docIdPrefix } = this.config;
    const Class: ConnectorClass = await registry.load({ ...entry, kind: 'connector' });
    return new Class(params as never, { name, docIdPrefix, runId, log: this.logger });
  }

  private pipelineConfig(name: string): PipelineConfig {
    // Checked before the run: a connector's pipeline exists.
    return this.context.config.pipelines.find((pipeline) => pipeline.name === name) as PipelineConfig;
  }

  private async executeAlone(connector: Connector): Promise<void> {
    await this.phase('preExecute failed.', () => connector.preExecute?.());
    this.started = performance.now();
    await this.phase('execute failed.', () => this.withTimeout(Promise.resolve(connector.execute(undefined))));
    if (!this.context.signal.aborted) await this.phase('postExecute failed', () => connector.postExecute?.());
  }

  private async executeWithPipeline(connector: Connector, pipeline: PipelineConfig): Promise<void> {
    const { context } = this;
    const flow = new FlowControl();
    const indexer = await this.context.indexer();
    const pool = this.createPool(pipeline, indexer, flow, (part) => indexing.accept(part));
    const indexing = this.createIndexing(indexer, flow, () => pool.roomMade());
    try {
      await this.phase(`Error starting workers for pipeline ${pipeline.name}`, () => pool.start());
      await this.phase('Indexer could not connect.', () => indexer.connect());
      await this.phase('preExecute failed.', () => connector.preExecute?.());
      this.started = performance.now();
      await this.publishAll(connector, pool, indexing, flow);
      if (!context.signal.aborted) await this.phase('postExecute failed', () => connector.postExecute?.());
    } finally {
      const { statistics, failures } = await pool.close();
      for (const stage of statistics) {
        const mean = stage.timed === 0 ? 0 : stage.timedMillis / stage.timed;
        this.logger.debug(
          `Stage ${stage.name} metrics. Docs processed: ${stage.processed}. Mean latency: ${mean.toFixed(4)} ms/doc. ` +
            `Children: ${stage.children}. Errors: ${stage.errors}.`,
        );
      }
      for (const failure of failures) this.logger.warn(`A stage could not stop: ${failure.message}`);
    }
  }

  private createPool(
    pipeline: PipelineConfig,
    indexer: RunIndexer,
    flow: FlowControl,
    onPart: (part: OutcomePart) => void,
  ): PipelinePool {
    const { root, registrySource, runId, config, idle, defaultThreads, forwardLog } = this.context;
    return new PipelinePool({
      open: {
        root,
        registry: registrySource,
        pipeline: pipeline.name,
        runId,
        encoder: indexer.encoder(this.config.name),
        lengths: indexer.indexer !== undefined && !indexer.indexer.streaming,
        logGate: this.context.logGate.buffer,
      },
      threads: pipeline.threads ?? config.worker.threads ?? defaultThreads,
      flow,
      idle,
      listener: { onPart, onLog: forwardLog },
    });
  }

  private createIndexing(indexer: RunIndexer, flow: FlowControl, onRoom: () => void): Indexing {
    const { config } = this.context;
    const capacity = config.publisher.queueCapacity ?? Number.POSITIVE_INFINITY;
    return new Indexing(indexer.indexer, config.indexer.settings, capacity, flow, {
      onPart: (part) => {
        // Upwards first: at no moment do the counts tell of more ends than beginnings.
        this.count('published', part.published);
        this.count('created', part.created);
        this.count('dropped', part.dropped);
        this.count('failed', part.failed);
        for (const { id, at, failure } of part.failures) this.keepFailure(id, at, failure);
        this.changed.notify();
      },
      onSucceeded: (count) => {
        this.count('succeeded', count);
        this.changed.notify();
      },
      onFailed: (ids, failure) => {
        this.count('failed', ids.length);
        for (const id of ids) this.keepFailure(id, 'indexer', failure);
        this.changed.notify();
      },
      onRoom,
    });
  }

  /** From the first document published to the last one indexed. */
  private async publishAll(
    connector: Connector,
    pool: PipelinePool,
    indexing: Indexing,
    flow: FlowControl,
  ): Promise<void> {
    const { publisher: settings } = this.context.config;
    const publisher = new BatchingPublisher({
      signal: this.context.signal,
      log: this.logger,
      collapse: this.config.collapse,
      maxPending:
        settings.maxPendingDocs !== undefined && settings.maxPendingDocs > 0 ? settings.maxPendingDocs : undefined,
      submit: (batch) => pool.submit(batch),
      waitForPending: async (below) => {
        while (pendingDocuments(this.counts) >= below && pool.failed === undefined) await this.changed.wait();
      },
      onReject: (record) => {
        this.count('published', 1);
        this.count('failed', 1);
        const message = `${record.place}: ${record.message}`;
        this.keepFailure(record.id ?? record.place, 'connector', { code: 'HR_RECORD_UNREADABLE', message });
      },
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
      await this.withTimeout(work());
      completed = true;
    } catch (error) {
      flow.stop();
      const failure = error instanceof ConnectorFailure ? error.failure : toFailure(error, 'HR_INTERNAL');
      await indexing.abort(failure, ABORT_GRACE_MILLIS);
      throw error;
    } finally {
      this.received = this.config.collapse ? publisher.received : this.counts.published;
      const { published, created, succeeded, failed, dropped } = this.counts;
      const collapsed = this.received !== published ? ` (${published} after collapsing)` : '';
      // Nothing to tell of a connector that failed before it had anything.
      if (completed || published > 0)
        this.logger.info(
          `${this.received} docs published${collapsed}. ${created} children created. ${succeeded} success events. ` +
            `${failed} failure events. ${dropped} drop events.`,
        );
    }
  }

  private async withTimeout(work: Promise<void>): Promise<void> {
    const millis = this.context.config.runner.connectorTimeout ?? 0;
    if (millis <= 0) return work;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      // setTimeout takes at most 2^31-1 ms, about 24 days; longer means no limit to speak of.
      timer = setTimeout(
        () =>
          reject(
            new ConnectorFailure(
              'Connector timeout.',
              {
                code: 'HR_CONNECTOR_TIMEOUT',
                message: `The connector did not finish within ${millis} ms`,
                hint: 'Raise runner.connectorTimeout (milliseconds; 0 for none).',
              },
              true,
            ),
          ),
        Math.min(millis, 2 ** 31 - 1),
      );
    });
    try {
      await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      work.catch(() => undefined);
    }
  }

  private async phase(text: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw error instanceof ConnectorFailure ? error : this.wrap(text, error, 'HR_CONNECTOR_FAILED');
    }
  }

  private wrap(text: string, error: unknown, code: Failure['code'], timed = false): ConnectorFailure {
    const failure = error instanceof ConnectorFailure ? error.failure : toFailure(error, code);
    this.logger.error(`${text} ${messageOf(error)}`);
    return new ConnectorFailure(text, failure, timed);
  }

  private count(field: keyof DocumentCounts, amount: number): void {
    if (amount === 0) return;
    this.counts[field] += amount;
    this.context.counts.add(field, amount);
  }

  private keepFailure(id: string, at: string, failure: Failure): void {
    const { failures } = this.context;
    if (failures.length >= MAX_KEPT_FAILURES) return;
    failures.push({ id, connector: this.config.name, at, failure });
    const what =
      at === 'connector'
        ? `Record could not be read: ${id}`
        : `Document FAILED during ${at === 'indexer' ? 'indexing' : 'pipeline processing'}: ${id}`;
    this.logger.error(what, { id, at, code: failure.code, reason: failure.message });
    if (failures.length === MAX_KEPT_FAILURES) {
      this.logger.error(`These were ${MAX_KEPT_FAILURES} failures; further ones are counted, but not told one by one`);
    }
  }

  private seconds(): number {
    return (performance.now() - this.started) / 1000;
  }
}
