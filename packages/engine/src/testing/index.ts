export type { ConditionConfig } from '../conditions/conditions.ts';
export { Pipeline } from '../execution/pipeline.ts';
export type { StageError } from '../execution/stage-error.ts';
export { limitMemory } from '../memory/memory-ledger.ts';
export { type ConditionalStage, type PipelineOutcome, runPipeline } from './pipeline-harness.ts';
export { assertStageContract } from './stage-contract.ts';
export {
  makeStage,
  RefusedParameters,
  runStage,
  type StageOutcome,
  stageContext,
  type TestStageContext,
  toDocument,
} from './stage-harness.ts';
