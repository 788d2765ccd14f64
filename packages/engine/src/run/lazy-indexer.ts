import type { DestinationAccess } from '../component/destination.ts';
import type {
  CheckResult,
  FinishedDocuments,
  FinishedOutput,
  Indexer,
  IndexerContext,
  RunOutcome,
} from '../component/indexer.ts';
import { createLogger, type LogRecord } from '../component/logger.ts';
import type { Registry } from '../component/registry.ts';
import type { IngestConfig } from '../config/ingest-config.ts';
import { classOf, contractError, requireCount } from '../errors/contract-error.ts';
import { messageOf, toFailure } from '../errors/headrace-error.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import { connectWithin } from './connect-within.ts';
import { ConnectorFailure } from './connector-failure.ts';
import { DryRunIndexer, dryRunEncoder } from './dry-run.ts';
import type { SharedIndexing } from './indexing-statistics.ts';
import type { RunIndexer } from './run-context.ts';
import type { RunRequest } from './run-request.ts';
import type { RunStarts } from './start-limit.ts';

const OUTCOMES: readonly string[] = ['passed', 'failed', 'not run'] satisfies CheckResult['outcome'][];

/** The environment of an indexer in the thread of the run. */
interface IndexerHost {
  /** This signal is aborted when the run must stop. */
  readonly signal: AbortSignal;
  readonly destinations?: DestinationAccess | undefined;
  readonly log: (record: LogRecord) => void;
  readonly indexing: SharedIndexing;
  readonly notices: NoticeCollector;
  readonly starting: RunStarts;
}

/** The only indexer of a run. It is created when it is needed, connected once and closed at the end. */
export class LazyIndexer {
  readonly #request: RunRequest;
  readonly #config: IngestConfig;
  readonly #registry: Registry;
  readonly #host: IndexerHost;
  #made: Promise<RunIndexer> | undefined;
  #connected: Promise<void> | undefined;

  constructor(request: RunRequest, config: IngestConfig, registry: Registry, host: IndexerHost) {
    this.#request = request;
    this.#config = config;
    this.#registry = registry;
    this.#host = host;
  }

  get(): Promise<RunIndexer> {
    this.#made ??= this.#make();
    return this.#made;
  }

  /** Lets the indexer complete its output. See `Indexer.finish`. */
  async finish(documents: FinishedDocuments): Promise<FinishedOutput> {
    const { signal } = this.#host;
    const indexer = await this.#whenConnected();
    const output = (await indexer?.finish?.(documents, signal)) ?? { checks: [] };
    // A check whose outcome is not known must not count as passed.
    if (Array.isArray(output.checks) && output.checks.every(({ outcome }) => OUTCOMES.includes(outcome))) return output;
    throw contractError(
      `finish() of ${classOf(indexer as Indexer)} returned ${JSON.stringify(output)}`,
      `checks is a list, and each outcome is one of: ${OUTCOMES.join(', ')}.`,
    );
  }

  async close(outcome: RunOutcome): Promise<void> {
    await (await this.#whenConnected())?.close?.(outcome);
  }

  /** Returns the indexer if it is connected. */
  async #whenConnected(): Promise<Indexer | undefined> {
    if (this.#connected === undefined) return undefined;
    const connected = await this.#connected.then(
      () => true,
      () => false,
    );
    return connected ? (await this.#made)?.indexer : undefined;
  }

  async #make(): Promise<RunIndexer> {
    try {
      const { starting } = this.#host;
      const indexer = await starting({ what: this.#name, code: 'HR_INDEXER_START' }, () => this.#create());
      const pipelines = new Map(this.#config.connectors.map(({ name, pipeline }) => [name, pipeline]));
      return {
        indexer,
        encoder: (connector) =>
          indexer instanceof DryRunIndexer ? dryRunEncoder(connector) : indexer?.encoder(pipelines.get(connector)),
        connect: () => {
          this.#connected ??= starting({ what: this.#name, code: 'HR_INDEXER_CONNECT' }, () => this.#connect(indexer));
          return this.#connected;
        },
      };
    } catch (error) {
      throw new ConnectorFailure('Error creating indexer from config.', toFailure(error, 'HR_INDEXER_START'));
    }
  }

  /** The indexer, as messages about its start name it. */
  get #name(): string {
    return `The indexer ${this.#config.indexer.entry.name}`;
  }

  async #connect(indexer: Indexer | undefined): Promise<void> {
    const { entry, settings } = this.#config.indexer;
    const { log, signal } = this.#host;
    const { connectTimeout } = settings;
    await connectWithin(connectTimeout, async () => indexer?.connect?.(), createLogger(entry.name, log), signal);
    try {
      await indexer?.begin?.(signal);
    } catch (error) {
      // Only a connected indexer is closed at the end of the run.
      const reason = messageOf(error);
      await indexer?.close?.({ failed: true, reason });
      throw error;
    }
  }

  async #create(): Promise<Indexer | undefined> {
    const { entry, params, settings } = this.#config.indexer;
    const { log, indexing, notices, signal, destinations } = this.#host;
    const context: IndexerContext = {
      runId: this.#request.runId,
      log: createLogger(entry.name, log),
      notices: notices.of({ component: entry.name }),
      settings,
      onRetry: (documents) => indexing.retried(documents),
      onUnchanged: (documents) => indexing.unchanged(documents),
      retry: this.#request.retry !== undefined,
      continues: this.#request.continues === true,
      ...(destinations === undefined ? {} : { destinations }),
    };
    if (this.#request.dryRunFile !== undefined)
      return new DryRunIndexer({ path: this.#request.dryRunFile } as never, context);
    if (settings.sendEnabled === false) {
      context.log.warn('indexer.sendEnabled is false: documents are processed but not sent');
      return undefined;
    }
    const Class = await this.#registry.load(entry, 'indexer');
    const indexer = new Class(params as never, context);
    // A custom indexer may extend an older base class without it.
    if (indexer.maxInFlight !== undefined) requireCount(indexer, 'maxInFlight', indexer.maxInFlight);
    await indexer.prepare?.(signal);
    return indexer;
  }
}
