import { extname } from 'node:path';
import { isMarkedAsUntransferable, threadId, Worker } from 'node:worker_threads';
import { bytesOf } from '../batch/chunk-marks.ts';
import type { FromPipeline, OpenPipeline, OutcomePart, SourceBatch, ToPipeline } from '../batch/pipeline-messages.ts';
import type { LogRecord } from '../component/logger.ts';
import { type Failure, HeadraceError, messageOf, toFailure } from '../errors/headrace-error.ts';
import { MemoryLedger } from '../memory/memory-ledger.ts';
import type { Notice } from '../notices/notice.ts';
import { watchStart } from './start-limit.ts';
import type { LaneData, ThreadData } from './thread-messages.ts';

/** Receives the events of a pipeline thread. */
export interface LaneListener {
  onPart(part: OutcomePart): void;
  onBroken(sequence: number, failure: Failure): void;
  onLog(record: LogRecord): void;
  /** Called if the thread ended unexpectedly. Its unfinished work is lost. */
  onLost(failure: Failure): void;
}

/**
 * Controls a pipeline thread from the thread of the run. A lane opens for a pipeline, processes batches and closes.
 * Then it can open again.
 */
export class PipelineLane {
  /** The number of batches that the thread has received but not finished. */
  outstanding = 0;
  readonly #worker: Worker;
  readonly #heapMb: number;
  #listener: LaneListener | undefined;
  #answer: { resolve: (message: FromPipeline) => void; reject: (error: HeadraceError) => void } | undefined;
  #lost: HeadraceError | undefined;
  /** The stage that starts. */
  #starting: string | undefined;

  constructor(data: ThreadData) {
    this.#heapMb = data.heapMb;
    // Tests run the source files, which have another extension.
    const entry = new URL(`./pipeline-thread-entry${extname(import.meta.url)}`, import.meta.url);
    this.#worker = new Worker(entry, {
      workerData: { ...data, run: threadId } satisfies LaneData,
      resourceLimits: { maxOldGenerationSizeMb: data.heapMb, maxYoungGenerationSizeMb: data.youngMb },
      name: 'pipeline',
    });
    this.#worker.unref();
    const { threadId: number } = this.#worker;
    this.#worker.on('exit', () => MemoryLedger.ofProcess().end(number));
    this.#worker.on('message', (message: FromPipeline) => this.#receive(message));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(new Error('the thread exited early, as by process.exit()')));
  }

  get alive(): boolean {
    return this.#lost === undefined;
  }

  /**
   * Starts the stages. Returns their `shared` entries. Rejects with the error of a stage, and ends the thread if the
   * stages compute longer than the limit for a document.
   */
  async open(request: OpenPipeline, listener: LaneListener): Promise<Map<string, unknown>> {
    this.#listener = listener;
    const endWatch = watchStart(this.#worker, request.computeMillis, () => this.#endStart(request.computeMillis));
    const answer = await this.#ask({ type: 'open', ...request }).finally(endWatch);
    if (answer.type === 'refused') throw HeadraceError.of(answer.failure);
    return answer.type === 'opened' ? answer.shared : new Map();
  }

  /** Sends a batch to the thread. Its bytes are transferred. */
  submit(sequence: number, batch: SourceBatch): void {
    // Small Buffers share memory with other Buffers, so their bytes are copied.
    const transfer = bytesOf(batch)
      .map(({ buffer }) => buffer as ArrayBuffer)
      .filter((buffer) => !isMarkedAsUntransferable(buffer));
    this.#worker.postMessage({ type: 'batch', sequence, batch } satisfies ToPipeline, transfer);
    this.outstanding++;
  }

  /** Stops the stages. Returns the failure if a stage could not stop, and the notices since the last part. */
  async close(): Promise<{ failure: Failure | undefined; notices: readonly Notice[] }> {
    const answer = await this.#ask({ type: 'close' });
    this.#listener = undefined;
    return answer.type === 'closed' ? answer : { failure: undefined, notices: [] };
  }

  /** Ends the thread, even if it is working. */
  async terminate(): Promise<void> {
    this.#lost ??= new HeadraceError('HR_PIPELINE_THREAD_LOST', 'The pipeline thread was ended');
    this.#listener = undefined;
    this.#answer?.reject(this.#lost);
    await this.#worker.terminate();
  }

  /** Ends a thread whose stages compute too long before they have started. */
  #endStart(millis: number): void {
    const stage = this.#starting === undefined ? 'The stages' : `Stage ${this.#starting}`;
    const message = `${stage} computed longer than ${millis / 1000} s to start (worker.maxProcessingSecs)`;
    this.#lost ??= new HeadraceError('HR_STAGE_START', message, {
      hint: 'If the stage really needs the time, raise worker.maxProcessingSecs.',
    });
    void this.terminate();
  }

  #ask(message: ToPipeline): Promise<FromPipeline> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject };
      this.#worker.postMessage(message);
    });
  }

  #receive(message: FromPipeline): void {
    switch (message.type) {
      case 'part':
        if (message.last) this.outstanding--;
        this.#listener?.onPart(message);
        break;
      case 'broken':
        this.#listener?.onBroken(message.sequence, message.failure);
        break;
      case 'starting':
        this.#starting = message.stage;
        break;
      case 'log':
        this.#listener?.onLog(message.record);
        break;
      default: {
        const answer = this.#answer;
        this.#answer = undefined;
        answer?.resolve(message);
      }
    }
  }

  #lose(error: unknown): void {
    if (this.#lost !== undefined) return;
    const outOfMemory = (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#lost = outOfMemory
      ? new HeadraceError(
          'HR_RUN_OUT_OF_MEMORY',
          `A pipeline thread used more than its ${this.#heapMb} MiB of memory`,
          {
            hint: 'A stage or a document needs too much memory. Make it smaller. In a service, limits.runHeapMb sets the limit.',
          },
        )
      : new HeadraceError('HR_PIPELINE_THREAD_LOST', `A pipeline thread ended unexpectedly: ${messageOf(error)}`);
    this.#answer?.reject(this.#lost);
    this.#listener?.onLost(toFailure(this.#lost, this.#lost.code));
  }
}
