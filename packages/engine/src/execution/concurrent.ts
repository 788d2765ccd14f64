import type { Children } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import { callConcurrently } from './concurrent-calls.ts';
import { type Guard, runGroup } from './guard.ts';
import { type InputState, type Member, MemberWindow } from './member-window.ts';
import type { RowSchedule } from './rows.ts';
import type { PipelineSink } from './sink.ts';
import type { StageCall } from './stage-call.ts';
import { givenUp, overdue, StageError } from './stage-error.ts';

/** A waiting stage, or a sequence of other stages: the stages from `from` to `to`. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly maxInFlight: number;
}

/** The work of a segment on some members. */
interface SegmentWork {
  readonly members: readonly Member[];
  readonly window: MemberWindow;
  /** Returns false if a member is not needed any more. */
  isWanted(member: Member): boolean;
  fail(input: InputState, error: unknown): void;
}

/**
 * The schedule for pipelines with stages that process several documents at the same time. A segment is such a stage, or
 * a sequence of other stages. All documents of a slice pass through a segment before the next segment starts, so each
 * stage gets them in order. If a stage emits many children, the output of a segment continues in windows, so memory use
 * does not grow with the number of children.
 */
export class ConcurrentSchedule {
  readonly #calls: readonly StageCall[];
  readonly #rows: RowSchedule;
  readonly #guard: Guard;
  readonly #segments: readonly Segment[];

  /** @param rows sends documents through stages that process one document at a time */
  constructor(calls: readonly StageCall[], rows: RowSchedule, guard: Guard) {
    this.#calls = calls;
    this.#rows = rows;
    this.#guard = guard;
    this.#segments = segmentsOf(calls);
  }

  /** Sends documents through the pipeline. Returns their number. */
  async process(inputs: readonly Document[], sink: PipelineSink): Promise<number> {
    const states = inputs.map((document): InputState => ({ document, error: undefined, failedIn: -1 }));
    const results = new OrderedResults(states, sink);
    await this.#pass(
      0,
      states.map((input) => ({ document: input.document, input })),
      results,
    );
    results.finish();
    return inputs.length;
  }

  /** Sends members through the segments from a number on, and out of the pipeline. */
  async #pass(at: number, members: readonly Member[], results: OrderedResults): Promise<void> {
    const segment = this.#segments[at];
    if (segment === undefined) return results.emit(members);
    const window = new MemberWindow(async (leaving) => {
      await this.#pass(at + 1, leaving, results);
      return !results.closed;
    });
    const work: SegmentWork = {
      members,
      window,
      // After a member of an input has failed in this segment or a later one, its other members are not needed. If
      // documents were processed one at a time, they would not exist.
      isWanted: ({ input }) => at > input.failedIn && !results.closed,
      fail: (input, error) => {
        // A failure in a later segment happened first, so its error is reported. The error here may only mean that no
        // more children were needed.
        if (at <= input.failedIn) return;
        input.error = error as StageError;
        input.failedIn = at;
      },
    };
    if (segment.maxInFlight > 1) await this.#runConcurrently(segment, work);
    else await this.#runInOrder(segment, work);
    await window.flush();
  }

  async #runInOrder({ from, to }: Segment, { members, window, isWanted, fail }: SegmentWork): Promise<void> {
    const inputAt = (i: number) => (members[i] as Member).input;
    const work = {
      count: members.length,
      guard: this.#guard,
      mark: () => window.mark(),
      process: (i: number) => {
        const member = members[i] as Member;
        if (!isWanted(member)) return undefined;
        try {
          return this.#rows.run(member.document, from, to, window.output(member.input));
        } catch (error) {
          fail(member.input, error);
          return undefined;
        }
      },
      overdue: (i: number) => fail(inputAt(i), this.#rows.overdue()),
    };
    for (let next = 0; next < members.length; ) {
      const { finished, waiting } = runGroup(work, next);
      next += finished;
      await waiting?.catch((error) => fail(inputAt(next - 1), error));
    }
  }

  async #runConcurrently(
    { from, maxInFlight }: Segment,
    { members, window, isWanted, fail }: SegmentWork,
  ): Promise<void> {
    const call = this.#calls[from] as StageCall;
    const called = members.filter(isWanted);
    const documents = called.map(({ document }) => document);
    await callConcurrently(call, documents, maxInFlight, this.#guard, async (first, outcomes) => {
      for (const [i, { children, error }] of outcomes.entries()) {
        const member = called[first + i] as Member;
        if (!isWanted(member)) continue;
        try {
          if (error !== undefined) throw error;
          if (children !== undefined) await this.#addChildren(call, children, member, from, window);
          window.add(member);
        } catch (thrown) {
          fail(member.input, thrown);
        }
      }
      // Documents that hold memory leave the pipeline before others may take it.
      if (first + outcomes.length < called.length || threadMemory.isScarce) await window.flush();
    });
  }

  /** Adds the children of a member to the window after a stage. */
  async #addChildren(
    call: StageCall,
    children: Children,
    { document, input }: Member,
    stage: number,
    window: MemberWindow,
  ): Promise<void> {
    const undo = window.mark();
    let waiting: Promise<void> | undefined;
    // The range is empty, because the children only leave this stage here.
    const work = () => {
      waiting = this.#rows.runChildren(call, children, document, stage + 1, stage + 1, window.output(input));
    };
    if (!this.#guard(work)) {
      undo();
      throw call.failure(overdue());
    }
    await waiting;
  }
}

/** Reports the result of each input to the sink, in order. */
class OrderedResults {
  /** True if no more output is needed. */
  closed = false;
  readonly #inputs: readonly InputState[];
  readonly #sink: PipelineSink;
  /** The number of finished inputs. */
  #finished = 0;

  constructor(inputs: readonly InputState[], sink: PipelineSink) {
    this.#inputs = inputs;
    this.#sink = sink;
  }

  async emit(members: readonly Member[]): Promise<void> {
    const sink = this.#sink;
    for (const { document, input } of members) {
      // Inputs finish in order. An earlier input that is unfinished here has failed.
      while (this.#inputs[this.#finished] !== input) this.#fail();
      const isInput = document === input.document;
      sink.emit(document, !isInput);
      if (isInput) {
        sink.finished(document);
        this.#finished++;
      }
      if (sink.full === true && (await sink.relieve?.()) === false) {
        this.closed = true;
        return;
      }
    }
  }

  finish(): void {
    while (this.#finished < this.#inputs.length) this.#fail();
  }

  #fail(): void {
    const { document, error } = this.#inputs[this.#finished++] as InputState;
    this.#sink.failedDocument(document, error ?? new StageError('', givenUp()));
  }
}

function segmentsOf(calls: readonly StageCall[]): Segment[] {
  const segments: { from: number; to: number; maxInFlight: number }[] = [];
  for (const [i, { stage }] of calls.entries()) {
    const last = segments.at(-1);
    const { maxInFlight } = stage;
    if (maxInFlight === 1 && last?.maxInFlight === 1) last.to = i + 1;
    else segments.push({ from: i, to: i + 1, maxInFlight });
  }
  return segments;
}
