import type { ObjectNode } from '@headrace/hocon';
import type { ModuleReference } from '../component/connector.ts';
import type { Indexer } from '../component/indexer.ts';
import type { LogRecord } from '../component/logger.ts';
import type { Registry, RegistrySource } from '../component/registry.ts';
import type { IngestConfig } from '../config/ingest-config.ts';
import type { FailureReports } from '../failures/failure-reports.ts';
import type { NoticeCollector } from '../notices/notice-collector.ts';
import type { MessageGate } from '../transport/message-gate.ts';
import type { SharedCounts } from './counters.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { IdleLanes } from './idle-lanes.ts';
import type { SharedIndexing } from './indexing-statistics.ts';
import type { RunStarts } from './start-limit.ts';
import type { ThreadStages } from './thread-messages.ts';

/** The objects that the connectors of a run share. */
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
  /** The notices of all components of the run. */
  readonly notices: NoticeCollector;
  readonly failureLimit: FailureLimit;
  readonly idle: IdleLanes;
  /** This signal is aborted when the run must stop. */
  readonly signal: AbortSignal;
  readonly defaultThreads: number;
  /** Logs a record of the thread of the run. */
  readonly log: (record: LogRecord) => void;
  /** Forwards a record of a pipeline thread. The record has already passed the gate. */
  readonly forwardLog: (record: LogRecord) => void;
  readonly logGate: MessageGate;
  /** Called with each pipeline thread when it is opened. */
  readonly onThread: (thread: ThreadStages) => void;
  /** Called when all pipeline threads of a connector have started their stages. */
  readonly onLoaded: () => void;
  readonly starting: RunStarts;
  /** Returns the indexer, and creates it at the first call. Rejects with a `ConnectorFailure`. */
  indexer(): Promise<RunIndexer>;
}

/** The indexer of a run, and its encoders. */
export interface RunIndexer {
  /** Undefined if nothing is sent. */
  readonly indexer: Indexer | undefined;
  encoder(connector: string): ModuleReference | undefined;
  /** Opens the destination. Further calls in the same run do nothing. */
  connect(): Promise<void>;
}
