export { limitMemory } from '../memory/memory-ledger.ts';
export type { ConditionConfig } from '../pipeline/conditions.ts';
export { Pipeline } from '../pipeline/pipeline.ts';
export type { StageError } from '../pipeline/stage-error.ts';
export { type ConditionalStage, type PipelineOutcome, runPipeline } from './pipeline-harness.ts';
export { assertStageContract } from './stage-contract.ts';
export {
  makeStage,
  RefusedParameters,
  runStage,
  type StageOutcome,
  stageContext,
  toDocument,
} from './stage-harness.ts';
