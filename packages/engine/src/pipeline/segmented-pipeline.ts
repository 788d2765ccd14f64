import type { Children } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { type CallOutcome, COMPUTE_MILLIS, callConcurrently } from './concurrent-calls.ts';
import { type Family, type Member, MemberWindow } from './member-window.ts';
import type { PipelineSink } from './pipeline.ts';
import { givenUp, overdue, StageError } from './stage-error.ts';
import { failure, type Step } from './step.ts';

/** Runs synchronous work. Returns false if V8 ended it because it took too long. */
export type Guard = (work: () => void) => boolean;

/** The outlet of a range of stages. */
export interface Outlet {
  emit(document: Document): void;
  /** Whether the output must be taken away before the next document. */
  readonly full: boolean;
  /** Takes the output away, which may block. Returns false if no more is wanted. */
  relieve(): Promise<boolean>;
}

/** What the pipeline does for one document at a time. Both methods throw, or reject with, a `StageError`. */
export interface DocumentRunner {
  /** Runs the stages `[from, to)` on one document. */
  run(document: Document, from: number, to: number, outlet: Outlet): Promise<void> | undefined;
  /** Takes the children of a document one by one. Each child passes the whole range before the next is generated. */
  runChildren(
    step: Step,
    children: Children,
    parent: Document,
    from: number,
    to: number,
    outlet: Outlet,
  ): Promise<void> | undefined;
  /** The failure of a document whose processing was ended. */
  overdue(): StageError;
}

/** A stage that waits, or a sequence of others: `steps` from `from` to `to`. */
interface Segment {
  readonly from: number;
  readonly to: number;
  readonly maxInFlight: number;
}

/**
 * A pipeline with stages that keep several documents in flight. A segment is such a stage, or a sequence of other
 * stages. The documents of a slice go through one segment before the next segment begins, so each stage gets them in
 * order. If a stage emits many children, the output of a segment continues in windows, so memory does not grow with the
 * number of children.
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

  /** Sends documents through; returns how many there were. */
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

  /** Sends members through the segments, starting at a number, and out of the pipeline. */
  async #pass(at: number, members: readonly Member[], exit: Exit): Promise<void> {
    const segment = this.#segments[at];
    if (segment === undefined) return exit.leave(members);
    const window = new MemberWindow(async (leaving) => {
      await this.#pass(at + 1, leaving, exit);
      return !exit.closed;
    });
    // A member of the family has failed in this segment or a later one. With one document at a time, this member would
    // not exist.
    const wanted = ({ family }: Member) => at > family.failedIn && !exit.closed;
    const lose = (family: Family, error: unknown) => {
      // A failure in a later segment happened first, so its error counts. The error here may only be that no more
      // children were wanted.
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
    /** The member in progress, and how many waited in the window before it. */
    let atWork: { readonly member: number; readonly left: number } | undefined;
    // Until one must wait, or for a limited time: a guarded call costs as much as many documents.
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
      // `compute` sets `atWork`, which the compiler does not see. V8 can also end `compute` after the last member.
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
    const outcomes = await callConcurrently(step, documents, maxInFlight, this.#guard);
    for (const [i, { document, family }] of called.entries()) {
      const { children, error } = outcomes[i] as CallOutcome;
      if (!wanted({ document, family })) continue;
      try {
        if (error !== undefined) throw error;
        if (children !== undefined) {
          const before = window.length;
          let waiting: Promise<void> | undefined;
          // The range is empty: children only leave this stage here.
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
  }
}

/** The outlet of the pipeline. Reports the result of each family to the sink, in order. */
class Exit {
  /** No more is wanted. */
  closed = false;
  readonly #families: readonly Family[];
  readonly #sink: PipelineSink;
  /** How many families are finished. */
  #ended = 0;

  constructor(families: readonly Family[], sink: PipelineSink) {
    this.#families = families;
    this.#sink = sink;
  }

  async leave(members: readonly Member[]): Promise<void> {
    const sink = this.#sink;
    for (const { document, family } of members) {
      // Families finish in order. If an earlier family is unfinished here, it has failed.
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
