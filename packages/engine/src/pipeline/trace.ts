import type { Document } from '../document/document.ts';
import { type Failure, toFailure } from '../errors/headrace-error.ts';
import { adopt, closeChildren, isGiven, iterateChildren } from './children.ts';
import type { Guard } from './segmented-pipeline.ts';
import { overdue, type StageError } from './stage-error.ts';
import type { StageTrace } from './stage-trace.ts';
import { callStage, failure, meetsCondition, type Step } from './step.ts';

/**
 * Sends documents through stages one at a time and records each document after each stage. The order of calls, children
 * and leaving documents is the same as in `Pipeline`.
 */
export class Tracer {
  readonly #steps: readonly Step[];
  readonly #classes: readonly string[];
  readonly #guard: Guard;
  /** The number of characters of documents that may still be recorded. */
  #charactersLeft: number;

  constructor(steps: readonly Step[], classes: readonly string[], maxCharacters: number, guard: Guard) {
    this.#steps = steps;
    this.#guard = guard;
    this.#classes = classes;
    this.#charactersLeft = maxCharacters;
  }

  /**
   * Sends a document through the stages from `from` on. Throws a `StageError`, after recording it, if the document or
   * one of its children fails.
   * @param into receives the effects of the stages
   */
  async process(
    document: Document,
    from: number,
    emit: (document: Document) => void,
    into: StageTrace[],
  ): Promise<void> {
    let before = textOf(document);
    for (let i = from; i < this.#steps.length && !document.bypassed; i++) {
      const step = this.#steps[i] as Step;
      const entry: StageTrace = { stage: step.name, class: this.#classes[i] ?? '' };
      into.push(entry);
      if (!meetsCondition(step, document)) {
        entry.skipped = 'condition';
        continue;
      }
      await this.#call(step, document, i, emit, entry);
      if (document.dropped) {
        entry.dropped = true;
        break;
      }
      if (document.bypassed) entry.skipsRest = true;
      const after = textOf(document);
      if (typeof after !== 'string') entry.failure = after;
      else if (after === before) entry.unchanged = true;
      else if (this.#takes(after)) entry.document = after;
      else entry.cut = true;
      before = after;
    }
    emit(document);
  }

  async #call(
    step: Step,
    document: Document,
    at: number,
    emit: (document: Document) => void,
    entry: StageTrace,
  ): Promise<void> {
    let iterator: ReturnType<typeof iterateChildren> | undefined;
    let ofStage = true;
    let since = performance.now();
    const addTime = () => {
      entry.millis = round((entry.millis ?? 0) + performance.now() - since);
    };
    try {
      let called: ReturnType<typeof callStage> | undefined;
      const begin = () => {
        called = callStage(step, document);
      };
      if (!this.#guard(begin)) throw overdue();
      const result = await called;
      if (!isGiven(result)) return;
      iterator = iterateChildren(result);
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
        const child = next.value;
        step.statistics.children++;
        adopt(child, document);
        const shown = textOf(child);
        const trace: StageTrace[] = [];
        entry.children ??= [];
        entry.children.push(typeof shown === 'string' && this.#takes(shown) ? { document: shown, trace } : { trace });
        addTime();
        // The inner call has already recorded its error.
        ofStage = false;
        await this.process(child, at + 1, emit, trace);
        ofStage = true;
        since = performance.now();
      }
    } catch (error) {
      closeChildren(iterator);
      if (!ofStage) throw error;
      const stageError: StageError = failure(step, error);
      entry.failure = toFailure(stageError, 'HR_STAGE_FAILED');
      throw stageError;
    } finally {
      if (ofStage) addTime();
    }
  }

  #takes(text: string): boolean {
    if (text.length > this.#charactersLeft) return false;
    this.#charactersLeft -= text.length;
    return true;
  }
}

function round(millis: number): number {
  return Math.round(millis * 1000) / 1000;
}

/** Returns a document as JSON, or the reason why it cannot be written. */
function textOf(document: Document): string | Failure {
  try {
    return document.toJson();
  } catch (error) {
    return toFailure(error, 'HR_INDEXER_FAILED');
  }
}
