import type { OpenPipeline, SourceBatch } from '../batch/pipeline-messages.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import { Signal } from '../transport/signal.ts';
import { type LaneListener, PipelineLane } from './pipeline-lane.ts';
import { SharedStatistics } from './stage-statistics.ts';
import type { ThreadData } from './thread-messages.ts';

/** Batches that a lane may have at once: one in work, one at hand. */
const BATCHES_PER_LANE = 2;
/** Batches for each thread that may be finished before their turn: one slow batch must not let the others pile up. */
const MAX_AHEAD = 8;
/** How long stages may take to stop before their thread is ended. */
const CLOSE_MILLIS = 10_000;

/** Pipeline threads that wait for work: starting one costs tens of milliseconds, so a run keeps them. */
export class IdleLanes {
  readonly #data: ThreadData;
  readonly #idle: PipelineLane[] = [];

  constructor(data: ThreadData) {
    this.#data = data;
  }

  /** Has a thread ready for the first who takes one. */
  warm(): void {
    this.#idle.push(new PipelineLane(this.#data));
  }

  take(): PipelineLane {
    for (let lane = this.#idle.pop(); lane !== undefined; lane = this.#idle.pop()) if (lane.alive) return lane;
    return new PipelineLane(this.#data);
  }

  give(lane: PipelineLane): void {
    this.#idle.push(lane);
  }

  /** Ends the threads that wait. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((lane) => lane.terminate()));
  }
}

export interface PipelinePoolOptions {
  readonly open: Omit<OpenPipeline, 'threadName' | 'threadNumber' | 'flow' | 'statistics'>;
  /** How many stages the pipeline has. */
  readonly stages: number;
  /** How many threads at most. They are started as there is work for them. */
  readonly threads: number;
  readonly flow: FlowControl;
  readonly idle: IdleLanes;
  readonly listener: Omit<LaneListener, 'onLost' | 'onBroken'>;
  /** A thread is opened, with these statistics of its stages. */
  readonly onThread: (statistics: SharedStatistics) => void;
  /** A batch of so many documents is handed to a thread; not told of pieces whose number of documents nobody knows yet. */
  readonly onSubmit: (sequence: number, documents: number) => void;
}

/** The threads of one pipeline: takes numbered batches and gives each to the thread with the least to do. */
export class PipelinePool {
  readonly #options: PipelinePoolOptions;
  readonly #lanes: PipelineLane[] = [];
  readonly #changed = new Signal();
  #opening = 0;
  readonly #openingLanes = new Set<PipelineLane>();
  #opened = 0;
  #sequence = 0;
  #failure: Failure | undefined;
  #threadLost = false;

  constructor(options: PipelinePoolOptions) {
    this.#options = options;
  }

  /** Starts the first thread, and with it the stages. Rejects with what a stage said. */
  async start(): Promise<void> {
    await this.#openLane();
  }

  /** How many batches have been handed over: they have the numbers below it. */
  get submitted(): number {
    return this.#sequence;
  }

  /** Why no more work is taken; undefined while all is well. */
  get failed(): Failure | undefined {
    return this.#failure;
  }

  /** Throws when no more work is taken, saying why. */
  check(): void {
    if (this.#failure !== undefined) throw HeadraceError.of(this.#failure);
  }

  /** Whether a thread is gone, and with it what it was doing: what other threads made after that has no place any more. */
  get lost(): boolean {
    return this.#threadLost;
  }

  /** Resolves when there is space for a batch. Rejects when no more work is taken. */
  async waitForSpace(): Promise<void> {
    for (;;) {
      this.check();
      if (this.#free() !== undefined) return;
      this.#grow();
      await this.#changed.wait();
    }
  }

  /** Hands over the next batch, after `waitForSpace()`. Throws when no more work is taken. */
  submit(batch: SourceBatch): void {
    this.check();
    const lane = this.#leastBusy();
    if (lane === undefined) throw new Error('A batch was handed over without waiting for space');
    const documents = batch.kind === 'records' ? batch.chunk.documents : batch.count;
    // It counts when it has been handed over: a batch that cannot cross to a thread ends the connector.
    lane.submit(this.#sequence, batch);
    if (documents !== undefined) this.#options.onSubmit(this.#sequence, documents);
    this.#sequence++;
    // Only a backlog is worth another thread: a small run never starts a second one.
    if (this.#sequence > 1) this.#grow();
  }

  /** Resolves when every batch is finished, or a thread was lost. */
  async drain(): Promise<void> {
    while (!this.#threadLost && this.#lanes.some((lane) => lane.outstanding > 0)) await this.#changed.wait();
  }

  /** Takes no more work, for this reason. */
  refuse(failure: Failure): void {
    this.#fail(failure);
  }

  /** To be called when the indexer has taken something: there may be space again. */
  spaceFreed(): void {
    this.#changed.notify();
  }

  /** Stops the stages of all threads and gives the threads back; gives what failed. */
  async close(): Promise<Failure[]> {
    // A thread that is still being opened has no business any more, and might never be ready.
    for (const lane of this.#openingLanes) void lane.terminate();
    while (this.#opening > 0) await this.#changed.wait();
    const failures: Failure[] = [];
    await Promise.all(
      this.#lanes.map(async (lane) => {
        const closed = lane.alive && lane.outstanding === 0 ? await withTimeout(lane.close(), CLOSE_MILLIS) : undefined;
        if (closed === undefined) {
          await lane.terminate();
          return;
        }
        if (closed.failure !== undefined) failures.push(closed.failure);
        this.#options.idle.give(lane);
      }),
    );
    return failures;
  }

  /** Ends all threads at once. */
  async terminate(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.terminate()));
  }

  #free(): PipelineLane | undefined {
    const { flow, threads } = this.#options;
    return flow.full || flow.ahead(this.#sequence) > threads * MAX_AHEAD ? undefined : this.#leastBusy();
  }

  #leastBusy(): PipelineLane | undefined {
    let best: PipelineLane | undefined;
    for (const lane of this.#lanes) {
      if (lane.outstanding < (best?.outstanding ?? BATCHES_PER_LANE)) best = lane;
    }
    return best;
  }

  #grow(): void {
    const busy = this.#lanes.every((lane) => lane.outstanding > 0);
    if (!busy || this.#opening > 0 || this.#lanes.length >= this.#options.threads) return;
    this.#openLane().catch((error: unknown) => this.#fail(toFailure(error, 'HR_STAGE_START')));
  }

  async #openLane(): Promise<void> {
    const { open, flow, idle, listener, onThread } = this.#options;
    const lane = idle.take();
    const number = ++this.#opened;
    const statistics = new SharedStatistics(this.#options.stages);
    onThread(statistics);
    this.#opening++;
    this.#openingLanes.add(lane);
    try {
      await lane.open(
        {
          ...open,
          threadName: `Lucille-${open.runId}-Worker-${number}`,
          threadNumber: number,
          flow: flow.buffer,
          statistics: statistics.buffer,
        },
        {
          onPart: (part) => {
            listener.onPart(part);
            if (part.last) this.#changed.notify();
          },
          onBroken: (_sequence, failure) => this.#fail(failure),
          onLog: listener.onLog,
          onLost: (failure) => {
            this.#threadLost = true;
            this.#fail(failure);
          },
        },
      );
      this.#lanes.push(lane);
    } catch (error) {
      await lane.terminate();
      throw error;
    } finally {
      this.#opening--;
      this.#openingLanes.delete(lane);
      this.#changed.notify();
    }
  }

  #fail(failure: Failure): void {
    this.#failure ??= failure;
    this.#changed.notify();
  }
}

async function withTimeout<T>(promise: Promise<T>, millis: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, millis, undefined);
  });
  try {
    return await Promise.race([promise.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
