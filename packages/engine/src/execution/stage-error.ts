import { HeadraceError, messageOf } from '../errors/headrace-error.ts';

/** The error of a document in a pipeline, with the name of the stage. */
export class StageError extends HeadraceError {
  readonly stage: string;

  constructor(stage: string, error: unknown) {
    super(error instanceof HeadraceError ? error.code : 'HR_STAGE_FAILED', messageOf(error), { cause: error });
    this.stage = stage;
  }
}

/** Returns the error for a document whose processing was interrupted. */
export function overdue(): HeadraceError {
  return new HeadraceError(
    'HR_STAGE_OVERDUE',
    'The document exceeded the time limit for one document (worker.maxProcessingSecs)',
  );
}

/** Returns the error for a document whose run was stopped before all its children were generated. */
export function givenUp(): HeadraceError {
  return new HeadraceError(
    'HR_RUN_CANCELLED',
    'The run was stopped before all children of the document were generated',
  );
}
