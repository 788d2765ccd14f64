export { Pipeline } from '../pipeline/pipeline.ts';
export type { StageError } from '../pipeline/stage-error.ts';
export { assertStageContract } from './stage-contract.ts';
export {
  makeStage,
  RefusedParameters,
  runStage,
  type StageOutcome,
  stageContext,
  toDocument,
} from './stage-harness.ts';
