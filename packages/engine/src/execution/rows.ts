import type { Children, StageResult } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { ChildReader } from './children.ts';
import type { Guard } from './guard.ts';
import type { Output, PipelineSink } from './sink.ts';
import { isGiven, isPromise, type StageCall } from './stage-call.ts';
import { givenUp, overdue, StageError } from './stage-error.ts';

/**
 * The schedule for single documents: a document passes through all stages before the next one. A child passes through
 * the later stages before the next child is generated, and all children before their parent.
 */
export class RowSchedule {
  readonly #calls: readonly StageCall[];
  readonly #guard: Guard;
  /** The stage at work. */
  #current: StageCall | undefined;

  /** @param guard limits the time of computations after a wait. The caller limits the others */
  constructor(calls: readonly StageCall[], guard: Guard) {
    this.#calls = calls;
    this.#guard = guard;
  }

  /**
   * Sends an input through all stages, or through the stages from a number on. Never throws. Returns a promise only if
   * a stage waits.
   * @param result the result of the stage before `from` for this document, if it must still be processed
   */
  process(
    input: Document,
    sink: PipelineSink,
    from = 0,
    result?: StageResult | Promise<StageResult>,
  ): Promise<void> | undefined {
    try {
      const output = new SinkOutput(input, sink);
      const to = this.#calls.length;
      const waiting = isGiven(result)
        ? this.runAfter(result, input, from, to, output)
        : this.run(input, from, to, output);
      if (waiting !== undefined) {
        return waiting.then(
          () => sink.finished(input),
          (error) => sink.failedDocument(input, error as StageError),
        );
      }
      sink.finished(input);
    } catch (error) {
      sink.failedDocument(input, error as StageError);
    }
    return undefined;
  }

  /** Returns the error for a document whose processing was interrupted, for the stage that was called last. */
  overdue(): StageError {
    return this.#current?.failure(overdue()) ?? new StageError('', overdue());
  }

  /** Sends a document through the stages from `from` to `to` (exclusive). Throws a `StageError`, or rejects with it. */
  run(document: Document, from: number, to: number, output: Output): Promise<void> | undefined {
    for (let i = from; i < to; i++) {
      const call = this.#calls[i] as StageCall;
      this.#current = call;
      const result = call.call(document);
      if (result !== undefined) return this.runAfter(result, document, i + 1, to, output);
    }
    output.emit(document);
    return undefined;
  }

  /**
   * Sends a document through the stages from `from` to `to` (exclusive), with the result of the stage before `from`.
   * Throws a `StageError`, or rejects with it.
   */
  runAfter(
    result: Children | Promise<StageResult>,
    document: Document,
    from: number,
    to: number,
    output: Output,
  ): Promise<void> | undefined {
    const call = this.#calls[from - 1] as StageCall;
    if (isPromise(result)) {
      output.defer?.(document, from, result);
      return result.then(
        async (children) => {
          if (isGiven(children)) {
            await this.#guarded(() => this.runChildren(call, children, document, from, to, output));
          }
          if (from === to) output.emit(document);
          else await this.#guarded(() => this.run(document, from, to, output));
        },
        (error) => {
          throw call.failure(error);
        },
      );
    }
    const waiting = this.runChildren(call, result, document, from, to, output);
    if (waiting !== undefined) return waiting.then(() => this.#guarded(() => this.run(document, from, to, output)));
    return this.run(document, from, to, output);
  }

  /**
   * Sends the children that a stage emitted for a document through the stages from `from` to `to` (exclusive). Waits if
   * a stage waits, or if the output is full, because the children of one document may need more memory than available.
   * Throws a `StageError`, or rejects with it.
   */
  runChildren(
    call: StageCall,
    children: Children,
    parent: Document,
    from: number,
    to: number,
    output: Output,
  ): Promise<void> | undefined {
    const reader = new ChildReader(call, children, parent);
    const waiting = this.#runSome(reader, call, from, to, output);
    if (reader.ended) return undefined;
    output.defer?.(parent, from, reader.rest());
    return this.#runRest(waiting, reader, call, from, to, output);
  }

  /** Processes children until there are no more, or one must wait, or the output takes no more. */
  #runSome(reader: ChildReader, call: StageCall, from: number, to: number, output: Output): Promise<void> | undefined {
    const { maxChildren = Number.POSITIVE_INFINITY } = output;
    while (!output.full && reader.count < maxChildren) {
      // The time limit also applies to generating the children.
      this.#current = call;
      const child = reader.next();
      if (child === undefined) return undefined;
      try {
        const waiting = this.run(child, from, to, output);
        if (waiting !== undefined) return waiting;
      } catch (error) {
        reader.close();
        throw error;
      }
    }
    return undefined;
  }

  async #runRest(
    first: Promise<void> | undefined,
    reader: ChildReader,
    call: StageCall,
    from: number,
    to: number,
    output: Output,
  ): Promise<void> {
    const runSome = () => this.#runSome(reader, call, from, to, output);
    try {
      for (let waiting = first; !reader.ended; waiting = this.#guarded(runSome)) {
        await waiting;
        if (output.full && !(await output.relieve())) throw new StageError(call.name, givenUp());
      }
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  #guarded(work: () => Promise<void> | undefined): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    const begin = () => {
      waiting = work();
    };
    if (!this.#guard(begin)) throw this.overdue();
    return waiting;
  }
}

/** The output of an input document and its children, to a sink. */
class SinkOutput implements Output {
  readonly #input: Document;
  readonly #sink: PipelineSink;

  constructor(input: Document, sink: PipelineSink) {
    this.#input = input;
    this.#sink = sink;
  }

  get full(): boolean {
    return this.#sink.full === true;
  }

  emit(document: Document): void {
    this.#sink.emit(document, document !== this.#input);
  }

  async relieve(): Promise<boolean> {
    return (await this.#sink.relieve?.()) ?? true;
  }
}
