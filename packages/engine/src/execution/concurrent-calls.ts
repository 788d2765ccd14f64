import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import { type Guard, runGroup } from './guard.ts';
import { isGiven, isPromise, type StageCall } from './stage-call.ts';
import { overdue, type StageError } from './stage-error.ts';

/** A started call is not undone. */
const nothing = () => {};

/** The result of one call of a stage. */
export interface CallOutcome {
  children?: Children;
  error?: StageError;
}

/** A started call: its result, or a promise for the result. */
type Started = { readonly waiting: Promise<StageResult> } | CallOutcome;

/**
 * Calls a stage for many documents, with a maximum number of calls at the same time. The synchronous part of each call
 * has a time limit.
 * @param deliver receives the results in the order of the documents: usually all at the end. If documents wait for
 * memory, the finished documents before them leave early, because they may hold this memory
 */
export async function callConcurrently(
  call: StageCall,
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
    outcomes[at] = await waiting.then(outcomeOf, (error) => ({ error: call.failure(error) }));
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
      for (const started of start(call, documents, next, maxInFlight - inFlight, guard)) {
        if ('waiting' in started) void wait(next, started.waiting);
        else outcomes[next] = started;
        next++;
      }
    }
  }
  await deliverFinished();
}

/** Starts calls from a document on, until the maximum number of calls or the target time of a group is reached. */
function start(
  call: StageCall,
  documents: readonly Document[],
  from: number,
  places: number,
  guard: Guard,
): readonly Started[] {
  const calls: Started[] = [];
  let free = places;
  runGroup(
    {
      count: documents.length,
      guard,
      mark: () => nothing,
      process: (i) => {
        const started = startOne(call, documents[i] as Document);
        calls.push(started);
        if ('waiting' in started) free--;
        return undefined;
      },
      ends: () => free === 0,
      overdue: (i) => {
        // V8 may also have interrupted the group directly after the start of the call.
        if (calls.length === i - from) calls.push({ error: call.failure(overdue()) });
      },
    },
    from,
  );
  return calls;
}

function startOne(call: StageCall, document: Document): Started {
  threadMemory.putLater(document);
  try {
    const result = call.call(document);
    if (result === undefined) return {};
    return isPromise(result) ? { waiting: result } : { children: result };
  } catch (error) {
    return { error: error as StageError };
  }
}

function outcomeOf(result: StageResult): CallOutcome {
  return isGiven(result) ? { children: result as Children } : {};
}
