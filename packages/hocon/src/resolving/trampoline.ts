import { TooMuchWork } from './budget.ts';

/** A computation that yields the computations it waits for, and receives their results. */
export interface Task<Result> extends Generator<Task<Result>, Result, Result> {}

/** Runs a task and the tasks it waits for on an explicit stack, so that only memory limits the depth. */
export function runTask<Result>(task: Task<Result>): Result {
  const stack: Task<Result>[] = [task];
  let value: Result | undefined;
  let failure: { error: unknown } | undefined;
  for (;;) {
    const top = stack.at(-1)!;
    let step: IteratorResult<Task<Result>, Result>;
    try {
      step = failure === undefined ? top.next(value as Result) : top.throw(failure.error);
      failure = undefined;
    } catch (error) {
      stack.pop();
      // No waiting task handles this error, so none needs to continue.
      if (stack.length === 0 || error instanceof TooMuchWork) throw error;
      failure = { error };
      continue;
    }
    if (!step.done) {
      stack.push(step.value);
      value = undefined;
      continue;
    }
    stack.pop();
    value = step.value;
    if (stack.length === 0) return value;
  }
}
