import { performance } from 'node:perf_hooks';
import type { Logger } from '../component/logger.ts';
import type { Registry } from '../component/registry.ts';
import type { Children, StageResult } from '../component/stage.ts';
import type { PipelineConfig } from '../config/ingest-config.ts';
import type { Document } from '../document/document.ts';
import type { DocumentTable } from '../document/document-table.ts';
import { HeadraceError, messageOf } from '../errors/headrace-error.ts';
import { adopt, closeChildren, isGiven, iterateChildren } from './children.ts';
import { compileConditions } from './conditions.ts';
import { overdue, StageError } from './stage-error.ts';
import { callStage, callWithTable, failure, type StageStatistics, type Step } from './step.ts';

/** What became of the documents that went into a pipeline, told in their order. */
export interface PipelineSink {
  /** A document leaves the pipeline: a child before its parent. Dropped and skipped ones leave it too. */
  emit(document: Document, isChild: boolean): void;
  /** An input and its children have left. */
  finished(input: Document): void;
  /** An input failed; children that left before stay out there. */
  failedDocument(input: Document, error: StageError): void;
}

export interface PipelineContext {
  readonly runId: string;
  readonly threadName: string;
  readonly threadNumber: number;
  readonly trusted: boolean;
  /** A logger for a stage. */
  log(name: string): Logger;
  /** Runs what stages compute after others have waited; without it that may take as long as it likes. */
  readonly guard?: Guard;
}

/** How long a guarded call goes on to the next document. */
const COMPUTE_MILLIS = 100;

/** Runs work that does not wait; false when it took too long and was ended. */
export type Guard = (work: () => void) => boolean;

const unguarded: Guard = (work) => {
  work();
  return true;
};

/**
 * A chain of stages. A document goes through all of them, changed in place; children that a stage emits go
 * through the later ones before their parent does. Dropped and skipped documents pass the rest untouched.
 */
export class Pipeline {
  private readonly steps: readonly Step[];
  private readonly guard: Guard;
  private atWork: Step | undefined;
  /** Where the stages that wait begin: `[from, to)` ranges, each either one such stage or a run of others. */
  private readonly segments: readonly { from: number; to: number; maxInFlight: number }[];

  private constructor(steps: readonly Step[], guard: Guard = unguarded) {
    this.steps = steps;
    this.guard = guard;
    this.segments = segment(steps);
  }

  /**
   * Makes and starts the stages, in order; when one fails, those started are stopped and the error is thrown
   * (`HR_STAGE_START`, naming the stage).
   */
  static async start(config: PipelineConfig, registry: Registry, context: PipelineContext): Promise<Pipeline> {
    const steps: Step[] = [];
    for (const { entry, params, name, conditions, conditionPolicy } of config.stages) {
      try {
        const StageClass = await registry.load({ ...entry, kind: 'stage' });
        const { runId, threadName, threadNumber, trusted } = context;
        const stage = new StageClass(params as never, {
          name,
          pipeline: config.name,
          runId,
          threadName,
          threadNumber,
          trusted,
          log: context.log(name),
        });
        await stage.start?.();
        const statistics = { name, processed: 0, children: 0, errors: 0, timed: 0, timedMillis: 0 };
        steps.push({ stage, name, condition: compileConditions(conditions, conditionPolicy), statistics, declined: 0 });
      } catch (error) {
        await stopAll(steps).catch(() => undefined);
        throw new HeadraceError(
          'HR_STAGE_START',
          `Stage ${name} (${entry.name}) could not start: ${messageOf(error)}`,
          { cause: error, ...(error instanceof HeadraceError && error.hint !== undefined ? { hint: error.hint } : {}) },
        );
      }
    }
    return new Pipeline(steps, context.guard);
  }

  get statistics(): StageStatistics[] {
    return this.steps.map((step) => step.statistics);
  }

  /**
   * Sends documents through the pipeline, in order. A promise only when a stage waits.
   * @param stopped asked before each document; true ends early, the rest stays untouched
   * @returns how many documents were taken
   */
  async process(documents: readonly Document[], sink: PipelineSink, stopped: () => boolean): Promise<number> {
    if (this.segments.length > 1 || (this.segments[0]?.maxInFlight ?? 1) > 1) {
      return this.processWaiting(documents, sink, stopped);
    }
    for (let i = 0; i < documents.length; i++) {
      if (stopped()) return i;
      const waiting = this.processOne(documents[i] as Document, sink);
      if (waiting !== undefined) await waiting;
    }
    return documents.length;
  }

  /**
   * Sends a table through the stages as far as they take tables.
   * @returns the number of the stage from which on its documents go one by one; `length` at the end
   */
  processTable(table: DocumentTable): number {
    for (let i = 0; i < this.steps.length; i++) if (!callWithTable(this.steps[i] as Step, table)) return i;
    return this.steps.length;
  }

  /** The name of the stage that was called last. */
  get stageAtWork(): string {
    return this.atWork?.name ?? '';
  }

  /** How many stages there are. */
  get length(): number {
    return this.steps.length;
  }

  /**
   * Sends one document through, or through the stages from a number on; never throws. A promise only when a stage
   * waits.
   */
  processOne(input: Document, sink: PipelineSink, from = 0): Promise<void> | undefined {
    try {
      const waiting = this.run(input, from, this.steps.length, (document) => sink.emit(document, document !== input));
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

  /** Whether every document can be processed without waiting and in one go. */
  get inOrder(): boolean {
    return this.segments.length <= 1 && (this.segments[0]?.maxInFlight ?? 1) === 1;
  }

  /** Stops all stages; the first error is thrown when all have been stopped. */
  async stop(): Promise<void> {
    await stopAll(this.steps);
  }

  /** Runs the stages `[from, to)` on one document. Throws a `StageError`. */
  private run(
    document: Document,
    from: number,
    to: number,
    emit: (document: Document) => void,
  ): Promise<void> | undefined {
    for (let i = from; i < to; i++) {
      if (document.bypassed) break;
      const step = this.steps[i] as Step;
      if (step.condition !== undefined && !step.condition(document)) continue;
      this.atWork = step;
      const result = callStage(step, document);
      if (!isGiven(result)) continue;
      if (isPromise(result)) {
        return result.then(
          async (children) => {
            if (isGiven(children)) await this.runChildren(step, children, document, i + 1, to, emit);
            await this.runGuarded(document, i + 1, to, emit);
          },
          (error) => {
            throw failure(step, error);
          },
        );
      }
      const waiting = this.runChildren(step, result, document, i + 1, to, emit);
      if (waiting !== undefined) return waiting.then(() => this.run(document, i + 1, to, emit));
    }
    emit(document);
    return undefined;
  }

  /** As `run`, from where nobody else sees to it that it ends. */
  private runGuarded(
    document: Document,
    from: number,
    to: number,
    emit: (document: Document) => void,
  ): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    const work = () => {
      waiting = this.run(document, from, to, emit);
    };
    if (from < to && !this.guard(work)) throw new StageError(this.stageAtWork, overdue());
    if (from === to) emit(document);
    return waiting;
  }

  /** Pulls the children of a document one by one, each to the end of the range before the next is made. */
  private runChildren(
    step: Step,
    children: Children,
    parent: Document,
    from: number,
    to: number,
    emit: (document: Document) => void,
  ): Promise<void> | undefined {
    let iterator: Iterator<Document> | undefined;
    const next = (): Document | undefined => {
      try {
        iterator ??= iterateChildren(children);
        const { done, value } = iterator.next();
        if (done === true) return undefined;
        step.statistics.children++;
        adopt(value, parent);
        return value;
      } catch (error) {
        throw failure(step, error);
      }
    };
    for (let child = next(); child !== undefined; child = next()) {
      let waiting: Promise<void> | undefined;
      try {
        waiting = this.run(child, from, to, emit);
      } catch (error) {
        closeChildren(iterator);
        throw error;
      }
      if (waiting === undefined) continue;
      return (async () => {
        try {
          await waiting;
          for (let child = next(); child !== undefined; child = next()) await this.run(child, from, to, emit);
        } catch (error) {
          closeChildren(iterator);
          throw error;
        }
      })();
    }
    return undefined;
  }

  /**
   * As `process`, for pipelines with stages that keep several documents in flight: all documents of the batch
   * go through a range of stages before the next range begins, so that each stage sees them in order.
   */
  private async processWaiting(
    inputs: readonly Document[],
    sink: PipelineSink,
    stopped: () => boolean,
  ): Promise<number> {
    if (stopped()) return 0;
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
    let atWork: { readonly family: Family; readonly left: number } | undefined;
    // As far as it goes without waiting, or for a while: a guarded call costs as much as many documents do.
    const compute = () => {
      const started = performance.now();
      waiting = atWork = undefined;
      while (waiting === undefined && next < members.length && performance.now() - started < COMPUTE_MILLIS) {
        const { document, family } = members[next] as Member;
        // What comes after a failed member of its family would never have been made.
        if (!lost.has(family)) {
          atWork = { family, left: out.length };
          try {
            waiting = this.run(document, from, to, (leaving) => out.push({ document: leaving, family }));
          } catch (error) {
            lose(family, error as StageError);
          }
        }
        next++;
        atWork = waiting === undefined ? undefined : atWork;
      }
    };
    while (next < members.length) {
      const before = next;
      const ended = this.guard(compute);
      const work = atWork as { readonly family: Family; readonly left: number } | undefined;
      if (!ended && work !== undefined && next < members.length && (members[next] as Member).family === work.family) {
        out.length = work.left;
        lose(work.family, new StageError(this.stageAtWork, overdue()));
        next++;
      } else if (!ended && next === before) next++;
      else if (work !== undefined) await waiting?.catch((error) => lose(work.family, error as StageError));
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
          // The range is empty: children only leave this stage here.
          await this.runChildren(step, children, document, at + 1, at + 1, (child) =>
            out.push({ document: child, family }),
          );
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

/** An input document and what became of it. */
interface Family {
  readonly input: Document;
  error: StageError | undefined;
}

interface Member {
  readonly document: Document;
  readonly family: Family;
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

function isPromise(result: Children | Promise<StageResult>): result is Promise<StageResult> {
  return typeof (result as Promise<StageResult>).then === 'function';
}

async function stopAll(steps: readonly Step[]): Promise<void> {
  let first: unknown;
  for (const { stage } of steps) {
    try {
      await stage.stop?.();
    } catch (error) {
      first ??= error;
    }
  }
  if (first !== undefined) throw first;
}
