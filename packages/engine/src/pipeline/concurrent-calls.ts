import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { isGiven } from './children.ts';
import type { Guard } from './segmented-pipeline.ts';
import { overdue, type StageError } from './stage-error.ts';
import { callStage, failure, isPromise, type Step } from './step.ts';

/** How long a guarded call goes on to the next document: it costs as much as many documents do. */
export const COMPUTE_MILLIS = 100;

/** What a call of a stage came to. */
export interface CallOutcome {
  children?: Children;
  error?: StageError;
}

/** A call that has begun: what it came to, or a promise of it. */
type Call = { readonly waiting: Promise<StageResult> } | CallOutcome;

/**
 * Calls a stage for many documents, so many at a time; gives in their order what each came to. What the stage computes
 * before it waits is guarded.
 */
export async function callConcurrently(
  step: Step,
  documents: readonly Document[],
  maxInFlight: number,
  guard: Guard,
): Promise<CallOutcome[]> {
  const outcomes: CallOutcome[] = [];
  let inFlight = 0;
  let onSettled = () => {};
  const wait = async (at: number, waiting: Promise<StageResult>) => {
    inFlight++;
    outcomes[at] = await waiting.then(outcomeOf, (error) => ({ error: failure(step, error) }));
    inFlight--;
    onSettled();
  };
  for (let next = 0; next < documents.length || inFlight > 0; ) {
    if (next === documents.length || inFlight >= maxInFlight) {
      await new Promise<void>((resolve) => {
        onSettled = resolve;
      });
      // Whatever else is answered in this turn of the event loop frees a place too: guarded calls are few and large then.
      await new Promise(setImmediate);
    } else {
      for (const call of begin(step, documents, next, maxInFlight - inFlight, guard)) {
        if ('waiting' in call) void wait(next, call.waiting);
        else outcomes[next] = call;
        next++;
      }
    }
  }
  return outcomes;
}

/** Begins calls, from a document on, until so many wait, or for a while. */
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
  // It may have been ended behind a call, too.
  if (!guard(compute) && atWork === calls.length) calls.push({ error: failure(step, overdue()) });
  return calls;
}

function callOf(step: Step, document: Document): Call {
  try {
    if (document.bypassed || (step.condition !== undefined && !step.condition(document))) return {};
    const result = callStage(step, document);
    return isGiven(result) && isPromise(result) ? { waiting: result } : outcomeOf(result);
  } catch (error) {
    return { error: failure(step, error) };
  }
}

function outcomeOf(result: StageResult): CallOutcome {
  return isGiven(result) ? { children: result as Children } : {};
}
