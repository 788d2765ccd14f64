import type { Children } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { threadMemory } from '../memory/thread-memory.ts';
import { COMPUTE_MILLIS, callConcurrently } from './concurrent-calls.ts';
import { type Family, type Member, MemberWindow } from './member-window.ts';
import type { PipelineSink } from './pipeline.ts';
import { givenUp, overdue, StageError } from './stage-error.ts';
import { failure, type Step } from './step.ts';

/** Runs synchronous work. Returns false if V8 interrupted the work because it exceeded the time limit. */
export type Guard = (work: () => void) => boolean;

/** Receives the documents that leave a range of stages. */
export interface Outlet {
  emit(document: Document): void;
  /** True if the output must be taken before the next document. */
  readonly full: boolean;
  /** Waits until the output is taken, and may block. Returns false if no more output is needed. */
  relieve(): Promise<boolean>;
}

/** The parts of a pipeline that process one document at a time. Both methods throw a `StageError` or reject with it. */
export interface DocumentRunner {
  /** Runs the stages from `from` to `to` (exclusive) on one document. */
  run(document: Document, from: number, to: number, outlet: Outlet): Promise<void> | undefined;
  /**
   * Processes the children of a document one at a time. Each child passes through the whole range before the next one
   * is generated.
   */
  runChildren(
    step: Step,
    children: Children,
    parent: Document,
    from: number,
    to: number,
    outlet: Outlet,
  ): Promise<void> | undefined;
  /** Returns the error for a document whose processing was interrupted. */
  overdue(): StageError;
}

/** A waiting stage, or a sequence of other stages: the steps from `from` to `to`. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly maxInFlight: number;
}

/**
 * A pipeline with stages that process several documents at the same time. A segment is such a stage, or a sequence of
 * other stages. All documents of a slice pass through a segment before the next segment starts, so each stage gets them
 * in order. If a stage emits many children, the output of a segment continues in windows, so memory use does not grow
 * with the number of children.
 */
export class SegmentedPipeline {
  readonly #steps: readonly Step[];
  readonly #runner: DocumentRunner;
  readonly #guard: Guard;
  readonly #segments: readonly Segment[];

  constructor(steps: readonly Step[], runner: DocumentRunner, guard: Guard) {
    this.#steps = steps;
    this.#runner = runner;
    this.#guard = guard;
    this.#segments = segment(steps);
  }

  /** Sends documents through the pipeline. Returns their number. */
  async process(inputs: readonly Document[], sink: PipelineSink): Promise<number> {
    const families = inputs.map((input): Family => ({ input, error: undefined, failedIn: -1 }));
    const exit = new Exit(families, sink);
    await this.#pass(
      0,
      families.map((family) => ({ document: family.input, family })),
      exit,
    );
    exit.finish();
    return inputs.length;
  }

  /** Sends members through the segments from a number on, and out of the pipeline. */
  async #pass(at: number, members: readonly Member[], exit: Exit): Promise<void> {
    const segment = this.#segments[at];
    if (segment === undefined) return exit.leave(members);
    const window = new MemberWindow(async (leaving) => {
      await this.#pass(at + 1, leaving, exit);
      return !exit.closed;
    });
    // After a member of the family has failed in this segment or a later one, the other members are not needed. If
    // documents were processed one at a time, they would not exist.
    const wanted = ({ family }: Member) => at > family.failedIn && !exit.closed;
    const lose = (family: Family, error: unknown) => {
      // A failure in a later segment happened first, so its error is reported. The error here may only mean that no
      // more children were needed.
      if (at <= family.failedIn) return;
      family.error = error as StageError;
      family.failedIn = at;
    };
    if (segment.maxInFlight > 1) await this.#runConcurrently(segment, members, window, wanted, lose);
    else await this.#runInOrder(segment, members, window, wanted, lose);
    await window.flush();
  }

  async #runInOrder(
    { from, to }: Segment,
    members: readonly Member[],
    window: MemberWindow,
    wanted: (member: Member) => boolean,
    lose: (family: Family, error: unknown) => void,
  ): Promise<void> {
    let next = 0;
    let waiting: Promise<void> | undefined;
    /** The current member, and the length of the window before it. */
    let atWork: { readonly member: number; readonly left: number } | undefined;
    // Runs until a member must wait, or until the time limit. It processes many members, because a guarded call takes
    // as long as many of them.
    const compute = () => {
      const started = performance.now();
      waiting = atWork = undefined;
      while (waiting === undefined && next < members.length && performance.now() - started < COMPUTE_MILLIS) {
        const member = members[next] as Member;
        if (wanted(member)) {
          atWork = { member: next, left: window.length };
          try {
            waiting = this.#runner.run(member.document, from, to, window.outlet(member.family));
          } catch (error) {
            lose(member.family, error);
          }
        }
        next++;
      }
    };
    while (next < members.length) {
      const ended = this.#guard(compute);
      // `compute` sets `atWork`, but the compiler does not see that. V8 can also interrupt `compute` after the last
      // member.
      const work = atWork as { readonly member: number; readonly left: number } | undefined;
      if (!ended && work?.member === next) {
        window.length = work.left;
        lose((members[next] as Member).family, this.#runner.overdue());
        next++;
      } else if (work !== undefined) {
        const { family } = members[work.member] as Member;
        await (waiting as Promise<void> | undefined)?.catch((error) => lose(family, error));
      }
    }
  }

  async #runConcurrently(
    { from, maxInFlight }: Segment,
    members: readonly Member[],
    window: MemberWindow,
    wanted: (member: Member) => boolean,
    lose: (family: Family, error: unknown) => void,
  ): Promise<void> {
    const step = this.#steps[from] as Step;
    const called = members.filter(wanted);
    const documents = called.map(({ document }) => document);
    await callConcurrently(step, documents, maxInFlight, this.#guard, async (first, outcomes) => {
      for (const [i, { children, error }] of outcomes.entries()) {
        const { document, family } = called[first + i] as Member;
        if (!wanted({ document, family })) continue;
        try {
          if (error !== undefined) throw error;
          if (children !== undefined) {
            const before = window.length;
            let waiting: Promise<void> | undefined;
            // The range is empty, because the children only leave this stage here.
            const work = () => {
              waiting = this.#runner.runChildren(step, children, document, from + 1, from + 1, window.outlet(family));
            };
            if (!this.#guard(work)) {
              window.length = before;
              throw failure(step, overdue());
            }
            await waiting;
          }
          window.add({ document, family });
        } catch (error) {
          lose(family, error);
        }
      }
      // Documents that hold memory leave the pipeline before others may take it.
      if (first + outcomes.length < called.length || threadMemory.isScarce) await window.flush();
    });
  }
}

/** The outlet of the pipeline. Reports the result of each family to the sink, in order. */
class Exit {
  /** True if no more output is needed. */
  closed = false;
  readonly #families: readonly Family[];
  readonly #sink: PipelineSink;
  /** The number of finished families. */
  #ended = 0;

  constructor(families: readonly Family[], sink: PipelineSink) {
    this.#families = families;
    this.#sink = sink;
  }

  async leave(members: readonly Member[]): Promise<void> {
    const sink = this.#sink;
    for (const { document, family } of members) {
      // Families finish in order. An earlier family that is unfinished here has failed.
      while (this.#families[this.#ended] !== family) this.#fail();
      const isInput = document === family.input;
      sink.emit(document, !isInput);
      if (isInput) {
        sink.finished(family.input);
        this.#ended++;
      }
      if (sink.full === true && (await sink.relieve?.()) === false) {
        this.closed = true;
        return;
      }
    }
  }

  finish(): void {
    while (this.#ended < this.#families.length) this.#fail();
  }

  #fail(): void {
    const { input, error } = this.#families[this.#ended++] as Family;
    this.#sink.failedDocument(input, error ?? new StageError('', givenUp()));
  }
}

function segment(steps: readonly Step[]): Segment[] {
  const segments: { from: number; to: number; maxInFlight: number }[] = [];
  for (const [i, { stage }] of steps.entries()) {
    const last = segments.at(-1);
    const { maxInFlight } = stage;
    if (maxInFlight === 1 && last?.maxInFlight === 1) last.to = i + 1;
    else segments.push({ from: i, to: i + 1, maxInFlight });
  }
  return segments;
}
