import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import { isGiven } from './children.ts';
import type { Guard } from './segmented-pipeline.ts';
import { overdue, type StageError } from './stage-error.ts';
import { callStage, failure, isPromise, meetsCondition, type Step } from './step.ts';

/**
 * The maximum duration of one guarded call. It processes many documents, because the guarded call itself takes as long
 * as many of them.
 */
export const COMPUTE_MILLIS = 100;

/** The result of one call of a stage. */
export interface CallOutcome {
  children?: Children;
  error?: StageError;
}

/** A started call: its result, or a promise for the result. */
type Call = { readonly waiting: Promise<StageResult> } | CallOutcome;

/**
 * Calls a stage for many documents, with a maximum number of calls at the same time. The synchronous part of each call
 * has a time limit.
 * @param deliver receives the results in the order of the documents: usually all at the end. If documents wait for
 * memory, the finished documents before them leave early, because they may hold this memory
 */
export async function callConcurrently(
  step: Step,
  documents: readonly Document[],
  maxInFlight: number,
  guard: Guard,
  deliver: (from: number, outcomes: readonly CallOutcome[]) => Promise<void>,
): Promise<void> {
  const outcomes: CallOutcome[] = [];
  let inFlight = 0;
  let delivered = 0;
  let onSettled = () => {};
  const wait = async (at: number, waiting: Promise<StageResult>) => {
    inFlight++;
    outcomes[at] = await waiting.then(outcomeOf, (error) => ({ error: failure(step, error) }));
    inFlight--;
    if (outcomes[at].error !== undefined) threadMemory.drop(documents[at] as Document);
    onSettled();
  };
  const deliverFinished = async () => {
    const from = delivered;
    while (outcomes[delivered] !== undefined) threadMemory.putFirst(documents[delivered++] as Document);
    if (from < delivered) await deliver(from, outcomes.slice(from, delivered));
  };
  for (let next = 0; next < documents.length || inFlight > 0; ) {
    if (threadMemory.isScarce) {
      await deliverFinished();
      // Calls may have ended meanwhile.
      if (outcomes[delivered] !== undefined) continue;
      // All documents before it have left.
      if (delivered < next) threadMemory.putFirst(documents[delivered] as Document);
    }
    if (next === documents.length || inFlight >= maxInFlight || (inFlight > 0 && threadMemory.isScarce)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      onSettled = resolve;
      threadMemory.onScarce(resolve);
      await promise;
      // Wait for the other promises that resolve in this turn of the event loop. More places become free, so fewer and
      // larger guarded calls are needed.
      await new Promise(setImmediate);
    } else {
      for (const call of begin(step, documents, next, maxInFlight - inFlight, guard)) {
        if ('waiting' in call) void wait(next, call.waiting);
        else outcomes[next] = call;
        next++;
      }
    }
  }
  await deliverFinished();
}

/** Starts calls from a document on, until the maximum number of calls or the time limit is reached. */
function begin(step: Step, documents: readonly Document[], from: number, places: number, guard: Guard): Call[] {
  const calls: Call[] = [];
  let atWork = -1;
  const compute = () => {
    const started = performance.now();
    let waiting = 0;
    while (waiting < places && from + calls.length < documents.length && performance.now() - started < COMPUTE_MILLIS) {
      atWork = calls.length;
      const call = callOf(step, documents[from + calls.length] as Document);
      calls.push(call);
      if ('waiting' in call) waiting++;
    }
  };
  // V8 may also have interrupted the work after the last call.
  if (!guard(compute) && atWork === calls.length) calls.push({ error: failure(step, overdue()) });
  return calls;
}

function callOf(step: Step, document: Document): Call {
  try {
    if (document.bypassed || !meetsCondition(step, document)) return {};
    threadMemory.putLater(document);
    const result = callStage(step, document);
    return isGiven(result) && isPromise(result) ? { waiting: result } : outcomeOf(result);
  } catch (error) {
    return { error: failure(step, error) };
  }
}

function outcomeOf(result: StageResult): CallOutcome {
  return isGiven(result) ? { children: result as Children } : {};
}
