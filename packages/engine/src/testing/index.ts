export { assertStageContract } from './stage-contract.ts';
export {
  makeStage,
  RefusedParameters,
  runStage,
  type StageOutcome,
  stageContext,
  toDocument,
} from './stage-harness.ts';
