import type { Document } from '../document/document.ts';
import { unwritable } from '../document/unwritable.ts';
import { type Failure, toFailure } from '../errors/headrace-error.ts';
import type { StageCall, StageObserver } from './stage-call.ts';
import type { StageError } from './stage-error.ts';
import type { StageTrace } from './stage-trace.ts';

/** A document in the stages, and its trace. */
interface Traced {
  readonly document: Document;
  readonly trace: StageTrace[];
  /** The document before the stage at work. */
  before: string | Failure;
  /** The stage at work. Undefined before the first stage, or after the last. */
  entry: StageTrace | undefined;
  /** When the stage was called, or continued after a child, in milliseconds. */
  since: number;
}

/**
 * Records each document after each stage, for a preview. Observes documents that pass through the stages one at a time,
 * so the order of calls, children and leaving documents is that of `RowSchedule`.
 */
export class Tracer implements StageObserver {
  readonly #classes: ReadonlyMap<StageCall, string>;
  /** The number of characters of documents that may still be recorded. */
  #charactersLeft: number;
  /** The input document, then its child in the stages, and so on. */
  readonly #path: Traced[] = [];

  /**
   * @param classes the class of each stage
   * @param maxCharacters the maximum number of characters of documents that are recorded
   */
  constructor(classes: ReadonlyMap<StageCall, string>, maxCharacters: number) {
    this.#classes = classes;
    this.#charactersLeft = maxCharacters;
  }

  /** Starts with an input document. Returns its trace, which grows while the document passes through the stages. */
  begin(document: Document): StageTrace[] {
    const trace: StageTrace[] = [];
    this.#path.length = 0;
    this.#path.push({ document, trace, before: textOf(document), entry: undefined, since: 0 });
    return trace;
  }

  reached(call: StageCall): void {
    const traced = this.#current;
    this.#end(traced);
    traced.entry = { stage: call.name, class: this.#classes.get(call) ?? '' };
    traced.trace.push(traced.entry);
    traced.since = performance.now();
  }

  skipped(): void {
    const traced = this.#current;
    if (traced.entry !== undefined) traced.entry.skipped = 'condition';
    traced.entry = undefined;
  }

  emitted(child: Document): void {
    const parent = this.#current;
    addTime(parent);
    const shown = textOf(child);
    const trace: StageTrace[] = [];
    if (parent.entry !== undefined) {
      parent.entry.children ??= [];
      parent.entry.children.push(
        typeof shown === 'string' && this.#takes(shown) ? { document: shown, trace } : { trace },
      );
    }
    this.#path.push({ document: child, trace, before: shown, entry: undefined, since: 0 });
  }

  failed(error: StageError): void {
    const traced = this.#current;
    if (traced.entry === undefined) return;
    addTime(traced);
    traced.entry.failure = toFailure(error, 'HR_STAGE_FAILED');
    traced.entry = undefined;
  }

  /** Must be called when a document leaves the stages. */
  left(): void {
    const traced = this.#path.pop();
    if (traced !== undefined) this.#end(traced);
    const parent = this.#path.at(-1);
    if (parent !== undefined) parent.since = performance.now();
  }

  get #current(): Traced {
    return this.#path.at(-1) as Traced;
  }

  /** Records the effect of the stage that has worked on a document. */
  #end(traced: Traced): void {
    const { document, entry, before } = traced;
    if (entry === undefined) return;
    traced.entry = undefined;
    addTime(traced, entry);
    if (document.dropped) {
      entry.dropped = true;
      return;
    }
    if (document.bypassed) entry.skipsRest = true;
    const after = textOf(document);
    if (typeof after !== 'string') entry.failure = after;
    else if (after === before) entry.unchanged = true;
    else if (this.#takes(after)) entry.document = after;
    else entry.cut = true;
    traced.before = after;
  }

  #takes(text: string): boolean {
    if (text.length > this.#charactersLeft) return false;
    this.#charactersLeft -= text.length;
    return true;
  }
}

/** Adds the time since the stage was called, or since it continued. */
function addTime(traced: Traced, entry: StageTrace | undefined = traced.entry): void {
  if (entry === undefined) return;
  const millis = (entry.millis ?? 0) + performance.now() - traced.since;
  entry.millis = Math.round(millis * 1000) / 1000;
}

/** Returns a document as JSON, or the reason why it cannot be written. */
function textOf(document: Document): string | Failure {
  try {
    return document.toJson();
  } catch (error) {
    return toFailure(unwritable(document, error), 'HR_INDEXER_FAILED');
  }
}
