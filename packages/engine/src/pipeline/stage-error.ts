import { HeadraceError, messageOf } from '../errors/headrace-error.ts';

/** Why a document failed in a pipeline: the stage and its error. */
export class StageError extends HeadraceError {
  readonly stage: string;

  constructor(stage: string, error: unknown) {
    super(error instanceof HeadraceError ? error.code : 'HR_STAGE_FAILED', messageOf(error), { cause: error });
    this.stage = stage;
  }
}

/** The error of a document whose processing was ended. */
export function overdue(): HeadraceError {
  return new HeadraceError(
    'HR_STAGE_OVERDUE',
    'It takes longer than a document may compute (worker.maxProcessingSecs)',
  );
}

/** The error of a document whose run was stopped before all its children were generated. */
export function givenUp(): HeadraceError {
  return new HeadraceError(
    'HR_RUN_CANCELLED',
    'The run was stopped before all children of the document were generated',
  );
}
