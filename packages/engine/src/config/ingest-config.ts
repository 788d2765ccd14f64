import type { CatalogEntry } from '../component/catalog.ts';
import type { IndexerSettings } from '../component/indexer-settings.ts';
import type { ConditionConfig } from '../pipeline/conditions.ts';
import type { LogSettings, PublisherSettings, RunnerSettings, WorkerSettings } from './engine-blocks.ts';

/** A component of a checked config: which class, and its parameters as the class takes them. */
export interface ComponentConfig {
  readonly entry: CatalogEntry;
  readonly params: Record<string, unknown>;
  /** Where it stands in the config: `connectors[0]`. */
  readonly path: string;
}

export interface ConnectorConfig extends ComponentConfig {
  readonly name: string;
  readonly pipeline: string | undefined;
  readonly docIdPrefix: string;
  readonly collapse: boolean;
}

export interface StageConfig extends ComponentConfig {
  readonly name: string;
  readonly conditions: readonly ConditionConfig[];
  readonly conditionPolicy: 'all' | 'any';
}

export interface PipelineConfig {
  readonly name: string;
  /** Threads of this pipeline; undefined: what `worker.threads` says. */
  readonly threads: number | undefined;
  /** The enabled stages. */
  readonly stages: readonly StageConfig[];
}

export interface IndexerConfig extends ComponentConfig {
  readonly settings: IndexerSettings;
}

/** An ingest config without errors, ready to run. */
export interface IngestConfig {
  readonly connectors: readonly ConnectorConfig[];
  readonly pipelines: readonly PipelineConfig[];
  readonly indexer: IndexerConfig;
  readonly worker: WorkerSettings;
  readonly publisher: PublisherSettings;
  readonly runner: RunnerSettings;
  readonly log: LogSettings;
}
