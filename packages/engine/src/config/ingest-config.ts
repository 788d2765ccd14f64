import type { ComponentConfig } from '../component/component-config.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import type { PipelineConfig } from '../execution/pipeline-config.ts';
import type { LogSettings, PublisherSettings, RunnerSettings, WorkerSettings } from './engine-blocks.ts';
import type { NoticeRules } from './notice-rules.ts';

export interface ConnectorConfig extends ComponentConfig {
  readonly name: string;
  readonly pipeline: string | undefined;
  readonly docIdPrefix: string;
  readonly collapse: boolean;
}

export interface IndexerConfig extends ComponentConfig {
  readonly settings: IndexerSettings;
}

/** A checked config without errors, ready to run. */
export interface IngestConfig {
  readonly connectors: readonly ConnectorConfig[];
  readonly pipelines: readonly PipelineConfig[];
  readonly indexer: IndexerConfig;
  readonly worker: WorkerSettings;
  readonly publisher: PublisherSettings;
  readonly runner: RunnerSettings;
  /** The rules of `runner.notices`. */
  readonly noticeRules: NoticeRules;
  readonly log: LogSettings;
}
