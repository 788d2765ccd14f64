import type { ComponentConfig } from '../component/component-config.ts';
import type { ConditionConfig } from '../conditions/conditions.ts';

/** A stage of a checked config. */
export interface StageConfig extends ComponentConfig {
  readonly name: string;
  readonly conditions: readonly ConditionConfig[];
  readonly conditionPolicy: 'all' | 'any';
}

/** A pipeline of a checked config. */
export interface PipelineConfig {
  readonly name: string;
  /** The number of threads of this pipeline. Undefined means the value of `worker.threads`. */
  readonly threads: number | undefined;
  /** The enabled stages, in order. */
  readonly stages: readonly StageConfig[];
}
