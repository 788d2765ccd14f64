import type { OutcomePart } from '../batch/pipeline-messages.ts';
import type { Logger } from '../component/logger.ts';
import type { ConnectorConfig } from '../config/ingest-config.ts';
import type { PipelineConfig } from '../execution/pipeline-config.ts';
import { encodingOf } from '../failures/encoded-documents.ts';
import { familySettings } from '../families/family-lines.ts';
import { currentRules } from '../policy/current-policy.ts';
import { FlowControl } from '../transport/flow-control.ts';
import type { Accounts } from './accounts.ts';
import { BatchTracks } from './batch-tracks.ts';
import { Indexing } from './indexing.ts';
import { PipelinePool } from './pipeline-pool.ts';
import type { RunContext, RunIndexer } from './run-context.ts';
import { ConnectorStages, type SharedStatistics } from './stage-statistics.ts';

/** The path of the documents of one connector: the pipeline threads, then the indexer. */
export class ConnectorPipeline {
  readonly flow = new FlowControl();
  readonly pool: PipelinePool;
  readonly indexing: Indexing;
  readonly tracks = new BatchTracks();
  readonly #context: RunContext;
  readonly #connector: ConnectorConfig;
  readonly #pipeline: PipelineConfig;
  readonly #indexer: RunIndexer;
  readonly #accounts: Accounts;
  readonly #stages: ConnectorStages;

  constructor(
    context: RunContext,
    connector: ConnectorConfig,
    pipeline: PipelineConfig,
    indexer: RunIndexer,
    accounts: Accounts,
  ) {
    this.#context = context;
    this.#connector = connector;
    this.#pipeline = pipeline;
    this.#indexer = indexer;
    this.#accounts = accounts;
    const names = pipeline.stages.map(({ name, entry }) => ({ name, class: entry.name }));
    this.#stages = new ConnectorStages(connector.name, pipeline.name, names);
    const onThread = (thread: SharedStatistics) => {
      this.#stages.add(thread);
      const { buffer: statistics } = thread;
      context.onThread({ connector: connector.name, pipeline: pipeline.name, stages: names, statistics });
    };
    this.pool = this.#createPool((part) => this.indexing.accept(part), onThread);
    this.indexing = this.#createIndexing(() => this.pool.spaceFreed());
  }

  /** True if the indexer prefers large chunks. */
  get largeChunks(): boolean {
    return this.#indexer.indexer?.prefersLargeChunks === true;
  }

  /** Stops the stages and logs their metrics. */
  async close(logger: Logger): Promise<void> {
    const failures = await this.pool.close();
    for (const { stage, processed, meanMillis, children, failed } of this.#stages.progress()) {
      logger.debug(
        `Stage ${stage} metrics. Docs processed: ${processed}. Mean latency: ${meanMillis.toFixed(4)} ms/doc. ` +
          `Children: ${children}. Errors: ${failed}.`,
      );
    }
    for (const failure of failures) logger.warn(`A stage failed to stop: ${failure.message}`);
  }

  #createPool(onPart: (part: OutcomePart) => void, onThread: (thread: SharedStatistics) => void): PipelinePool {
    const {
      root,
      registrySource,
      trusted,
      runId,
      config,
      idle,
      defaultThreads,
      forwardLog,
      logGate,
      reports,
      notices,
      onLoaded,
    } = this.#context;
    const indexer = this.#indexer;
    const pipeline = this.#pipeline;
    // The config may have been checked with a different policy.
    const { maxThreads = Number.POSITIVE_INFINITY, maxProcessingSecs = Number.POSITIVE_INFINITY } =
      currentRules()?.policy.limits ?? {};
    return new PipelinePool({
      open: {
        root,
        registry: registrySource,
        connector: this.#connector.name,
        pipeline: pipeline.name,
        runId,
        trusted,
        encoder: indexer.encoder(this.#connector.name),
        indexer: config.indexer.entry.name,
        lengths: indexer.indexer !== undefined && !indexer.indexer.streaming,
        families: indexer.indexer?.deletesOldChildren ? familySettings(config.indexer.settings) : undefined,
        // The parameter always has a value, because it has a default.
        computeMillis: Math.min(config.worker.maxProcessingSecs as number, maxProcessingSecs) * 1000,
        logGate: logGate.buffer,
        failureBudget: reports.budget.buffer,
      },
      stages: pipeline.stages.length,
      threads: Math.min(pipeline.threads ?? config.worker.threads ?? defaultThreads, maxThreads),
      flow: this.flow,
      idle,
      listener: {
        onPart,
        onLog: forwardLog,
        onLost: () => this.indexing.threadLost(),
        onNotices: (list) => notices.add(list),
      },
      onThread,
      onLoaded,
      onSubmit: (sequence, documents) => this.#accounts.entered(sequence, documents),
    });
  }

  #createIndexing(onSpace: () => void): Indexing {
    const { config, indexing: statistics, notices } = this.#context;
    const indexer = this.#indexer;
    const accounts = this.#accounts;
    let encoding: string | undefined;
    const capacity = config.publisher.queueCapacity ?? Number.POSITIVE_INFINITY;
    return new Indexing(
      indexer.indexer,
      config.indexer.settings,
      capacity,
      this.flow,
      {
        onPart: (part) => {
          notices.add(part.notices ?? []);
          accounts.settled(part);
        },
        onSucceeded: (count) =>
          indexer.indexer?.completesAtFinish === true ? accounts.hold(count) : accounts.succeeded(count),
        onFailed: (failed) => {
          encoding ??= encodingOf(indexer.encoder(this.#connector.name));
          accounts.failed({ ...failed, encoding });
        },
        onConfirmed: (confirmation) => accounts.confirmed(confirmation),
        onUnconfirmed: (documents, failure) => accounts.unconfirmed(documents, failure),
        onSpace,
        statistics,
      },
      this.#pipeline.name,
      this.tracks,
    );
  }
}
