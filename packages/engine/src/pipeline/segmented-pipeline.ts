import { performance } from 'node:perf_hooks';
import type { Children } from '../component/stage.ts';
import type { Document } from '../document/document.ts';
import { isGiven } from './children.ts';
import type { PipelineSink } from './pipeline.ts';
import { overdue, StageError } from './stage-error.ts';
import { callStage, failure, type Step } from './step.ts';

/** How long a guarded call goes on to the next document. */
const COMPUTE_MILLIS = 100;

/** Runs work that does not wait; false when it took too long and was ended. */
export type Guard = (work: () => void) => boolean;

/** Where documents leave a range of stages. */
export interface Outlet {
  emit(document: Document): void;
  /** Whether what has left is to be taken away before more comes. */
  readonly full: boolean;
  /** Has it taken away, which may block. False: no more is wanted. */
  relieve(): Promise<boolean>;
}

/** What the pipeline does for one document at a time. Both throw, or reject with, a `StageError`. */
export interface DocumentRunner {
  /** Runs the stages `[from, to)` on one document. */
  run(document: Document, from: number, to: number, outlet: Outlet): Promise<void> | undefined;
  /** Pulls the children of a document one by one, each to the end of the range before the next is made. */
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

/** An input document and what became of it. */
interface Family {
  readonly input: Document;
  error: StageError | undefined;
}

interface Member {
  readonly document: Document;
  readonly family: Family;
}

/**
 * A pipeline with stages that keep several documents in flight: all documents of a batch go through a segment, such a
 * stage or a run of others, before the next one begins, so that each stage sees them in order.
 */
export class SegmentedPipeline {
  private readonly steps: readonly Step[];
  private readonly runner: DocumentRunner;
  private readonly guard: Guard;
  private readonly segments: readonly { from: number; to: number; maxInFlight: number }[];

  constructor(steps: readonly Step[], runner: DocumentRunner, guard: Guard) {
    this.steps = steps;
    this.runner = runner;
    this.guard = guard;
    this.segments = segment(steps);
  }

  /** Sends documents through; gives how many there were. */
  async process(inputs: readonly Document[], sink: PipelineSink): Promise<number> {
    const families = inputs.map((input): Family => ({ input, error: undefined }));
    let members = families.map((family): Member => ({ document: family.input, family }));
    for (const { from, to, maxInFlight } of this.segments) {
      members =
        maxInFlight > 1
          ? await this.runConcurrently(members, from, maxInFlight)
          : await this.runInOrder(members, from, to);
    }
    let at = 0;
    for (const family of families) {
      for (; at < members.length && (members[at] as Member).family === family; at++) {
        const { document } = members[at] as Member;
        sink.emit(document, document !== family.input);
      }
      if (family.error === undefined) sink.finished(family.input);
      else sink.failedDocument(family.input, family.error);
    }
    return inputs.length;
  }

  private async runInOrder(members: readonly Member[], from: number, to: number): Promise<Member[]> {
    const out: Member[] = [];
    const lost = new Set<Family>();
    const lose = (family: Family, error: StageError) => {
      lost.add(family);
      family.error = error;
    };
    let next = 0;
    let waiting: Promise<void> | undefined;
    /** The member at work, and how many had left before it. */
    let atWork: { readonly member: number; readonly left: number } | undefined;
    // As far as it goes without waiting, or for a while: a guarded call costs as much as many documents do.
    const compute = () => {
      const started = performance.now();
      waiting = atWork = undefined;
      while (waiting === undefined && next < members.length && performance.now() - started < COMPUTE_MILLIS) {
        const { document, family } = members[next] as Member;
        // What comes after a failed member of its family would never have been made.
        if (!lost.has(family)) {
          atWork = { member: next, left: out.length };
          try {
            waiting = this.runner.run(document, from, to, new MemberOutlet(family, out));
          } catch (error) {
            lose(family, error as StageError);
          }
        }
        next++;
      }
    };
    while (next < members.length) {
      const ended = this.guard(compute);
      // Set while the work ran, which the compiler does not see. It may have been ended behind a member, too.
      const work = atWork as { readonly member: number; readonly left: number } | undefined;
      if (!ended && work?.member === next) {
        out.length = work.left;
        lose((members[next] as Member).family, this.runner.overdue());
        next++;
      } else if (work !== undefined) {
        const { family } = members[work.member] as Member;
        await (waiting as Promise<void> | undefined)?.catch((error) => lose(family, error as StageError));
      }
    }
    return out;
  }

  private async runConcurrently(members: readonly Member[], at: number, maxInFlight: number): Promise<Member[]> {
    const step = this.steps[at] as Step;
    const results: { children?: Children; error?: StageError }[] = new Array(members.length);
    let next = 0;
    const lane = async () => {
      for (let i = next++; i < members.length; i = next++) {
        const { document } = members[i] as Member;
        if (document.bypassed || (step.condition !== undefined && !step.condition(document))) {
          results[i] = {};
          continue;
        }
        try {
          const children = await callStage(step, document);
          results[i] = isGiven(children) ? { children } : {};
        } catch (error) {
          results[i] = { error: error instanceof StageError ? error : failure(step, error) };
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxInFlight, members.length) }, lane));
    const out: Member[] = [];
    const lost = new Set<Family>();
    for (const [i, { document, family }] of members.entries()) {
      if (lost.has(family)) continue;
      const { children, error } = results[i] as { children?: Children; error?: StageError };
      try {
        if (error !== undefined) throw error;
        if (children !== undefined) {
          const before = out.length;
          // The range is empty: children only leave this stage here, without waiting.
          const work = () => {
            void this.runner.runChildren(step, children, document, at + 1, at + 1, new MemberOutlet(family, out));
          };
          if (!this.guard(work)) {
            out.length = before;
            throw failure(step, overdue());
          }
        }
        out.push({ document, family });
      } catch (error) {
        lost.add(family);
        family.error = error as StageError;
      }
    }
    return out;
  }
}

/** Documents that leave a segment wait for the others of their batch. */
class MemberOutlet implements Outlet {
  readonly full = false;
  private readonly family: Family;
  private readonly out: Member[];

  constructor(family: Family, out: Member[]) {
    this.family = family;
    this.out = out;
  }

  emit(document: Document): void {
    this.out.push({ document, family: this.family });
  }

  async relieve(): Promise<boolean> {
    return true;
  }
}

function segment(steps: readonly Step[]): { from: number; to: number; maxInFlight: number }[] {
  const segments: { from: number; to: number; maxInFlight: number }[] = [];
  for (const [i, { stage }] of steps.entries()) {
    const last = segments.at(-1);
    const { maxInFlight } = stage;
    if (maxInFlight === 1 && last?.maxInFlight === 1) last.to = i + 1;
    else segments.push({ from: i, to: i + 1, maxInFlight });
  }
  return segments;
}
