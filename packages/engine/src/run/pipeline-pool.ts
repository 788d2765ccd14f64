import { knownDocuments } from '../batch/chunk-marks.ts';
import type { OpenPipeline, SourceBatch } from '../batch/pipeline-messages.ts';
import { type Failure, HeadraceError, toFailure } from '../errors/headrace-error.ts';
import type { MemoryHold } from '../memory/memory-hold.ts';
import { memoryForBatch } from '../memory/thread-memory.ts';
import type { Notice } from '../notices/notice.ts';
import type { FlowControl } from '../transport/flow-control.ts';
import { Signal } from '../transport/signal.ts';
import type { IdleLanes } from './idle-lanes.ts';
import type { LaneListener, PipelineLane } from './pipeline-lane.ts';
import { SharedStatistics } from './stage-statistics.ts';

/** The maximum number of batches in a lane: one is processed, one waits. */
const BATCHES_PER_LANE = 2;
/**
 * The number of batches per thread that may finish before an earlier batch. It limits the memory while a slow batch
 * delays the other batches.
 */
const MAX_AHEAD = 8;
/**
 * The time that a batch of few documents waits before it starts another thread. A fast pipeline has processed it earlier,
 * and a thread costs 30 milliseconds or more.
 */
const PATIENCE_MILLIS = 20;
const FEW_DOCUMENTS = 1000;
/** The time that stages get to stop before their thread is ended. */
const CLOSE_MILLIS = 10_000;

export interface PipelinePoolOptions {
  readonly open: Omit<OpenPipeline, 'threadName' | 'threadNumber' | 'shared' | 'flow' | 'statistics'>;
  /** The number of stages of the pipeline. */
  readonly stages: number;
  /** The maximum number of threads. A thread is started when there is work for it. */
  readonly threads: number;
  readonly flow: FlowControl;
  readonly idle: IdleLanes;
  readonly listener: Omit<LaneListener, 'onLost' | 'onBroken'> & {
    onLost(): void;
    /** Called with the notices of a thread that are in no part. */
    onNotices(notices: readonly Notice[]): void;
  };
  /** Called with the statistics of the stages when a thread is opened. */
  readonly onThread: (statistics: SharedStatistics) => void;
  /** Called when all threads have started their stages. */
  readonly onLoaded: () => void;
  /** Called when a thread receives a batch. Not called for a chunk with an unknown number of documents. */
  readonly onSubmit: (sequence: number, documents: number) => void;
}

/** The threads of one pipeline. Numbers the batches and sends each one to the thread with the least work. */
export class PipelinePool {
  readonly #options: PipelinePoolOptions;
  readonly #lanes: PipelineLane[] = [];
  readonly #changed = new Signal();
  #opening = 0;
  readonly #openingLanes = new Set<PipelineLane>();
  #opened = 0;
  #sequence = 0;
  /** Whether the last batch has few documents. */
  #hasFew = false;
  #patience: NodeJS.Timeout | undefined;
  /** Whether a batch waits for capacity. */
  #isWaiting = false;
  #failure: Failure | undefined;
  #threadLost = false;
  /** The memory of the large batches in flight, and of the next batch. */
  readonly #memory = new Map<number, MemoryHold>();
  #nextMemory: MemoryHold | undefined;
  /** The `shared` entries of the first thread. */
  #shared = new Map<string, unknown>();

  constructor(options: PipelinePoolOptions) {
    this.#options = options;
  }

  /** Starts the first thread and its stages. Rejects with the error of a stage. */
  async start(): Promise<void> {
    await this.#openLane();
  }

  /** The number of submitted batches. Batch numbers are less than this number. */
  get submitted(): number {
    return this.#sequence;
  }

  /** The reason why no more work is accepted. Undefined if there is no failure. */
  get failed(): Failure | undefined {
    return this.#failure;
  }

  /** Throws the failure if no more work is accepted. */
  check(): void {
    if (this.#failure !== undefined) throw HeadraceError.of(this.#failure);
  }

  /**
   * True if a thread was lost with its unfinished work. Later batches of other threads are then useless, because they
   * would be out of order.
   */
  get lost(): boolean {
    return this.#threadLost;
  }

  /**
   * Resolves when there is capacity for a batch, and memory if it is large. Rejects if no more work is accepted.
   * @param bytes the size of the batch
   */
  async waitForSpace(bytes = 0): Promise<void> {
    this.#nextMemory ??= await memoryForBatch(bytes);
    for (;;) {
      this.check();
      this.#isWaiting = this.#free() === undefined;
      if (!this.#isWaiting) return;
      this.#growForWaiting();
      await this.#changed.wait();
    }
  }

  /** Sends the next batch to a thread. Call `waitForSpace()` before. Throws if no more work is accepted. */
  submit(batch: SourceBatch): void {
    this.check();
    const lane = this.#leastBusy();
    if (lane === undefined) throw new Error('A batch was submitted without waiting for capacity');
    const documents = batch.kind === 'records' ? knownDocuments(batch.chunks) : batch.count;
    // The batch is counted after it was sent. If it cannot be sent to a thread, the connector ends.
    lane.submit(this.#sequence, batch);
    if (this.#nextMemory !== undefined) this.#memory.set(this.#sequence, this.#nextMemory);
    this.#nextMemory = undefined;
    if (documents !== undefined) this.#options.onSubmit(this.#sequence, documents);
    this.#sequence++;
    this.#hasFew = documents !== undefined && documents < FEW_DOCUMENTS;
    // Another thread is only started if batches wait. A small run never starts a second thread.
    if (this.#sequence > 1 && !this.#hasFew) this.#grow();
  }

  /** Resolves when every batch is finished or a thread was lost. */
  async drain(): Promise<void> {
    while (!this.#threadLost && this.#lanes.some((lane) => lane.outstanding > 0)) await this.#changed.wait();
  }

  /** Accepts no more work, with this failure as the reason. */
  refuse(failure: Failure): void {
    this.#fail(failure);
  }

  /** Call this after the indexer has accepted documents, because there may be capacity again. */
  spaceFreed(): void {
    this.#changed.notify();
  }

  /** Stops the stages of all threads and returns the threads to the idle lanes. Returns the failures. */
  async close(): Promise<Failure[]> {
    clearTimeout(this.#patience);
    this.#releaseMemory();
    // A thread that is still opening is no longer needed and might never become ready.
    for (const lane of this.#openingLanes) void lane.terminate();
    while (this.#opening > 0) await this.#changed.wait();
    const failures: Failure[] = [];
    const { listener } = this.#options;
    await Promise.all(
      this.#lanes.map(async (lane) => {
        const closed = lane.alive && lane.outstanding === 0 ? await withTimeout(lane.close(), CLOSE_MILLIS) : undefined;
        if (closed === undefined) {
          await lane.terminate();
          return;
        }
        if (closed.failure !== undefined) failures.push(closed.failure);
        listener.onNotices(closed.notices);
        this.#options.idle.give(lane);
      }),
    );
    return failures;
  }

  /** Ends all threads immediately. */
  async terminate(): Promise<void> {
    clearTimeout(this.#patience);
    this.#releaseMemory();
    await Promise.all(this.#lanes.map((lane) => lane.terminate()));
  }

  #releaseMemory(): void {
    this.#nextMemory?.release();
    for (const hold of this.#memory.values()) hold.release();
    this.#memory.clear();
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

  /** Starts another thread for a batch that waits, but for few documents only if it still waits after a time. */
  #growForWaiting(): void {
    if (!this.#hasFew) {
      this.#grow();
      return;
    }
    this.#patience ??= setTimeout(() => {
      this.#patience = undefined;
      if (this.#isWaiting) this.#grow();
    }, PATIENCE_MILLIS);
  }

  #grow(): void {
    const busy = this.#lanes.every((lane) => lane.outstanding > 0);
    if (!busy || this.#opening > 0 || this.#lanes.length >= this.#options.threads) return;
    this.#openLane().catch((error: unknown) => this.#fail(toFailure(error, 'HR_STAGE_START')));
  }

  async #openLane(): Promise<void> {
    const { open, flow, idle, listener, threads, onThread, onLoaded } = this.#options;
    const lane = idle.take();
    const number = ++this.#opened;
    const statistics = new SharedStatistics(this.#options.stages);
    onThread(statistics);
    this.#opening++;
    this.#openingLanes.add(lane);
    try {
      const shared = await lane.open(
        {
          ...open,
          threadName: `Lucille-${open.runId}-Worker-${number}`,
          threadNumber: number,
          shared: this.#shared,
          flow: flow.buffer,
          statistics: statistics.buffer,
        },
        {
          onPart: (part) => {
            // The listener may free the bytes.
            const bytes = part.bytes.byteLength;
            listener.onPart(part);
            flow.received(bytes);
            if (!part.last) return;
            this.#memory.get(part.sequence)?.release();
            this.#memory.delete(part.sequence);
            this.#changed.notify();
          },
          onBroken: (_sequence, failure) => this.#fail(failure),
          onLog: listener.onLog,
          onLost: (failure) => {
            this.#threadLost = true;
            this.#fail(failure);
            listener.onLost();
          },
        },
      );
      if (number === 1) this.#shared = shared;
      this.#lanes.push(lane);
      if (this.#lanes.length === threads) onLoaded();
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
