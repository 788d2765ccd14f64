import type { Problem } from '../tree/problem.ts';

/** The error for a text that cannot be edited. */
export class EditError extends RangeError {
  override name = 'EditError';
  readonly code = 'cannot-edit';
  /** The problem of the text, or of the text with the new value, if it is the reason. */
  readonly problem: Problem | undefined;

  constructor(message: string, problem: Problem | undefined) {
    super(message);
    this.problem = problem;
  }
}
