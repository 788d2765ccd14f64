import { type Context, Script } from 'node:vm';
import { messageOf } from '../problems/message-of.ts';
import type { ScriptFailure } from '../problems/script-problem.ts';

const PROMISE = new Script('Promise.prototype', { filename: 'headrace' });

/** By the prototype of a realm's promises, who is told of those that fail and that nobody waits for. */
const watched = new WeakMap<object, (failure: ScriptFailure) => void>();
let watching = false;

/**
 * Tells of promises of a script's realm that fail unheard. Node would end the thread, and with it the run; by the time
 * that it says so the document is gone, so that it can only be told.
 */
export function watchRejections(context: Context, tell: (failure: ScriptFailure) => void): void {
  watched.set(PROMISE.runInContext(context) as object, tell);
  if (watching) return;
  watching = true;
  process.on('unhandledRejection', (reason, promise) => {
    const told = watched.get(Object.getPrototypeOf(promise) as object);
    // Of somebody else: what happens when nobody listens.
    if (told === undefined) throw reason;
    told(failureOf(reason));
  });
}

function failureOf(reason: unknown): ScriptFailure {
  const { stack } = (reason ?? {}) as { stack?: unknown };
  const message = `a promise without a handler failed: ${messageOf(reason)}`;
  return typeof stack === 'string' ? { message, stack } : { message };
}
