import { type Context, Script } from 'node:vm';
import { messageOf } from '../problems/message-of.ts';
import type { ScriptFailure } from '../problems/script-problem.ts';

const PROMISE = new Script('Promise.prototype', { filename: 'headrace' });

/** The listeners for unhandled rejections, by the promise prototype of each realm. */
const watched = new WeakMap<object, (failure: ScriptFailure) => void>();
let watching = false;

/**
 * Reports promises of a script's realm that are rejected without a handler. Without this, Node would end the thread and
 * the run. When Node reports the rejection, the document is already finished, so the rejection can only be logged.
 */
export function watchRejections(context: Context, report: (failure: ScriptFailure) => void): void {
  watched.set(PROMISE.runInContext(context) as object, report);
  if (watching) return;
  watching = true;
  process.on('unhandledRejection', (reason, promise) => {
    const listener = watched.get(Object.getPrototypeOf(promise) as object);
    // A promise of other code keeps the default behaviour of Node.
    if (listener === undefined) throw reason;
    listener(failureOf(reason));
  });
}

function failureOf(reason: unknown): ScriptFailure {
  const { stack } = (reason ?? {}) as { stack?: unknown };
  const message = `a rejected promise was not handled: ${messageOf(reason)}`;
  return typeof stack === 'string' ? { message, stack } : { message };
}
