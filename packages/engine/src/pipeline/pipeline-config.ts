import type { ComponentConfig } from '../component/component-config.ts';
import type { ConditionConfig } from './conditions.ts';

/** A stage of a checked config. */
export interface StageConfig extends ComponentConfig {
  readonly name: string;
  readonly conditions: readonly ConditionConfig[];
  readonly conditionPolicy: 'all' | 'any';
}

/** A pipeline of a checked config. */
export interface PipelineConfig {
  readonly name: string;
  /** Threads of this pipeline; if undefined, the value of `worker.threads`. */
  readonly threads: number | undefined;
  /** The enabled stages. */
  readonly stages: readonly StageConfig[];
}
