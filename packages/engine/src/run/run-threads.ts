import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { RegistrySource } from '../component/registry.ts';
import type { Problem } from '../config/problem.ts';
import type { ReachRequest } from '../config/reach-config.ts';
import { type Failure, HeadraceError, messageOf } from '../errors/headrace-error.ts';
import { LogGate } from '../transport/log-gate.ts';
import { type DocumentCounts, noDocuments, pendingDocuments, SharedCounts } from './counters.ts';
import { SharedIndexing } from './indexing-statistics.ts';
import type { PreviewRequest, PreviewResult, RunHandle, RunListeners, RunProgress, RunRequest } from './run-request.ts';
import type { ConnectorResult, RunResult } from './run-result.ts';
import { runSummary } from './run-summary.ts';
import { ConnectorStages, SharedStatistics } from './stage-statistics.ts';
import {
  type ConnectorProgress,
  type FromRun,
  type ThreadData,
  type ThreadResult,
  type ThreadStages,
  type ToRun,
  YOUNG_MB,
} from './thread-messages.ts';
import { STOP_GRACE_MILLIS } from './time-limits.ts';

/**
 * How long after a run was handed over the thread of the next one is started, if it has not ended before. Loading takes
 * 0.2 s of a processor, which a run of one second would miss.
 */
const PREPARE_MILLIS = 2000;
/** How long a thread has to end its own threads. */
const END_MILLIS = 2000;
/** Components whose modules a waiting thread loads. */
const MAX_PRELOADED = 32;

/**
 * How much a thread's old generation may grow before it is collected, in percent of what is alive: V8 itself lets a
 * small heap become four times as large, which takes 20 to 40 MiB a thread for no gain in speed.
 */
const HEAP_GROWING_PERCENT = 50;

/** What a thread answers that was asked something else than a run. */
type Answer = Extract<FromRun, { type: 'previewed' | 'reached' }>;

export interface RunThreadsOptions {
  /** Limit of the JavaScript heap of each thread of a run, in MiB. */
  readonly heapMb: number;
  /** Pipeline threads that each run has from its start on; more come when there is work for them. 1 by default. */
  readonly lanes?: number;
  /** Keep one thread ready, so that a run starts at once. */
  readonly keepWarm: boolean;
}

/** Starts runs and previews, each in a thread of its own: whatever happens there, the process goes on. */
export class RunThreads {
  private readonly options: RunThreadsOptions;
  private readonly going = new Set<Worker>();
  private readonly modules = new Set<string>();
  /** What the last run was given: the next one will be given the same. */
  private registry: RegistrySource | undefined;
  private warm: Worker | undefined;
  private closed = false;

  constructor(options: RunThreadsOptions) {
    this.options = options;
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWING_PERCENT}`);
    if (options.keepWarm) this.prepare();
  }

  /**
   * Has a thread ready for the next run, which then starts at once.
   * @param modules of built-in components that it will probably need
   */
  prepare(modules: readonly string[] = []): void {
    this.noteModules(modules);
    if (this.closed || this.warm !== undefined) return;
    const worker = this.spawn();
    worker.unref();
    this.warm = worker;
    worker.once('error', () => undefined);
    worker.once('exit', () => {
      if (this.warm === worker) this.warm = undefined;
    });
  }

  start(request: RunRequest, listeners: RunListeners = {}): RunHandle {
    const worker = this.take();
    this.registry = request.registry;
    const run = new ThreadRun(request, worker, this.options.heapMb, listeners);
    worker.on('message', (message: FromRun) => {
      if (message.type === 'modules') this.noteModules(message.modules);
    });
    void run.done.then(() => this.options.keepWarm && this.prepare());
    return run;
  }

  /**
   * Rejects with a `HeadraceError` when it does not end in time, its thread is lost, or nobody waits for it any more.
   * @param signal aborted when nobody does
   */
  async preview(request: PreviewRequest, timeoutMillis: number, signal?: AbortSignal): Promise<PreviewResult> {
    const late = `The preview did not end within ${timeoutMillis} ms`;
    const hint = 'Ask for fewer documents.';
    // A document that computes without end costs itself, not the preview.
    const maxComputeMillis = timeoutMillis / 3;
    const question: ToRun = { type: 'preview', request, maxComputeMillis };
    const answer = await this.ask(question, timeoutMillis, late, hint, signal);
    return (answer as Extract<Answer, { type: 'previewed' }>).result;
  }

  /** All problems of a config, those of reaching what it talks to included. Rejects as `preview` does. */
  async reach(request: ReachRequest, timeoutMillis: number): Promise<Problem[]> {
    const late = `Reaching the sources and sinks did not end within ${timeoutMillis} ms`;
    const hint = 'Check the config without connecting first.';
    const answer = await this.ask({ type: 'reach', request }, timeoutMillis, late, hint);
    return (answer as Extract<Answer, { type: 'reached' }>).problems;
  }

  private async ask(
    question: ToRun,
    timeoutMillis: number,
    late: string,
    lateHint: string,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const worker = this.take();
    let timer: NodeJS.Timeout | undefined;
    let given: (() => void) | undefined;
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        given = () => reject(new HeadraceError('HR_RUN_CANCELLED', 'Nobody waits for the answer any more'));
        if (signal?.aborted) given();
        signal?.addEventListener('abort', given);
        timer = setTimeout(() => {
          reject(new HeadraceError('HR_RUN_CANCELLED', late, { hint: lateHint }));
        }, timeoutMillis);
        worker.on('message', (message: FromRun) => {
          if (message.type !== 'previewed' && message.type !== 'reached' && message.type !== 'crashed') return;
          if (message.type !== 'crashed') resolve(message);
          else reject(HeadraceError.of(message.failure));
        });
        const lose = (error: unknown) => reject(HeadraceError.of(lostThread(error, this.options.heapMb)));
        worker.once('error', lose);
        worker.once('exit', () => lose(ENDED_BY_ITSELF));
        worker.postMessage(question);
      });
      endThread(worker);
      return answer;
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      if (given !== undefined) signal?.removeEventListener('abort', given);
    }
  }

  /** Ends all threads. Runs that are still going end as failed: stop them before. */
  async close(): Promise<void> {
    this.closed = true;
    const { warm } = this;
    this.warm = undefined;
    await Promise.all([warm?.terminate(), ...[...this.going].map((worker) => worker.terminate())]);
  }

  private take(): Worker {
    const worker = this.warm ?? this.spawn();
    this.warm = undefined;
    this.going.add(worker);
    worker.once('exit', () => this.going.delete(worker));
    worker.ref();
    // Later: the start of this run must not wait for the next one's thread.
    if (this.options.keepWarm) setTimeout(() => this.prepare(), PREPARE_MILLIS).unref();
    return worker;
  }

  /** Keeps the modules that were needed last. */
  private noteModules(modules: readonly string[]): void {
    for (const module of modules) {
      this.modules.delete(module);
      this.modules.add(module);
    }
    for (const oldest of this.modules) {
      if (this.modules.size <= MAX_PRELOADED) break;
      this.modules.delete(oldest);
    }
  }

  private spawn(): Worker {
    const { heapMb, lanes = 1 } = this.options;
    const { registry } = this;
    const preload = { modules: [...this.modules], ...(registry === undefined ? {} : { registry }) };
    return new Worker(new URL('./run-thread.js', import.meta.url), {
      workerData: { heapMb, lanes, preload } satisfies ThreadData,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: YOUNG_MB },
      name: 'run',
    });
  }
}

/** A run in its thread, seen from the process. */
class ThreadRun implements RunHandle {
  readonly runId: string;
  readonly done: Promise<RunResult>;
  private readonly worker: Worker;
  private readonly counts = new SharedCounts();
  private readonly indexing = new SharedIndexing();
  private indexer: string | undefined;
  private readonly started = performance.now();
  private connectors: readonly ConnectorProgress[] = [];
  private results: readonly ConnectorResult[] = [];
  private readonly stages = new Map<string, ConnectorStages>();
  private connectorStarted = performance.now();
  private stopping: 'CANCELLED' | 'INTERRUPTED' | undefined;
  private timer: NodeJS.Timeout | undefined;
  private ended = false;
  private finish: (result: ThreadResult) => void = () => undefined;

  constructor(request: RunRequest, worker: Worker, heapMb: number, listeners: RunListeners) {
    this.runId = request.runId;
    this.worker = worker;
    this.done = new Promise((resolve) => {
      this.finish = (result) => {
        this.ended = true;
        clearTimeout(this.timer);
        resolve({ ...result, stages: this.stageProgress() });
      };
    });
    const logGate = new LogGate();
    const failureGate = new LogGate();
    worker.on('message', (message: FromRun) => {
      if (message.type === 'log') {
        listeners.onLog?.(message.record);
        logGate.leave();
      } else if (message.type === 'connectors') {
        this.follow(message);
        listeners.onConnectors?.();
      } else if (message.type === 'failures') {
        listeners.onFailures?.(message.failures);
        failureGate.leave(message.weight);
      } else if (message.type === 'thread') this.addThread(message);
      else if (message.type === 'indexer') this.indexer = message.indexer;
      else if (message.type === 'done') {
        this.finish(message.result);
        // What is left in the thread (a stage's timers, a connection) has no more business.
        endThread(worker);
      } else if (message.type === 'crashed') this.lose(message.failure);
    });
    worker.once('error', (error) => this.lose(lostThread(error, heapMb)));
    worker.once('exit', () => this.lose(lostThread(ENDED_BY_ITSELF, heapMb)));
    const keepFailures = listeners.onFailures !== undefined;
    const { buffer: counts } = this.counts;
    const { buffer: indexing } = this.indexing;
    worker.postMessage({
      type: 'run',
      request,
      counts,
      indexing,
      logGate: logGate.buffer,
      failureGate: failureGate.buffer,
      keepFailures,
    } satisfies ToRun);
  }

  progress(): RunProgress {
    const counts = this.counts.read();
    const left = this.leftOf(counts);
    const connectors = this.connectors.map(({ name, status }, i): RunProgress['connectors'][number] => {
      const ended = this.results[i];
      if (ended !== undefined) return { name, status, counts: ended.counts, seconds: ended.seconds };
      if (status !== 'running') return { name, status, counts: noDocuments(), seconds: 0 };
      return { name, status, counts: left, seconds: this.connectorSeconds() };
    });
    return { counts, connectors, stages: this.stageProgress(), indexing: this.indexing.read(this.indexer) };
  }

  stop(status: 'CANCELLED' | 'INTERRUPTED'): void {
    if (this.ended || this.stopping !== undefined) return;
    this.stopping = status;
    this.worker.postMessage({ type: 'stop', status } satisfies ToRun);
    this.timer = setTimeout(() => {
      const message = `The run did not stop within ${STOP_GRACE_MILLIS / 1000} seconds and was ended`;
      this.lose({ code: 'HR_RUN_CANCELLED', message });
    }, STOP_GRACE_MILLIS);
  }

  private follow({ connectors, results }: Extract<FromRun, { type: 'connectors' }>): void {
    const begins = this.connectors.length === 0 || results.length !== this.results.length;
    if (begins) this.connectorStarted = performance.now();
    this.connectors = connectors;
    this.results = results;
  }

  private addThread({ connector, pipeline, stages, statistics }: ThreadStages): void {
    const known = this.stages.get(connector) ?? new ConnectorStages(connector, pipeline, stages);
    this.stages.set(connector, known);
    known.add(new SharedStatistics(statistics));
  }

  private stageProgress(): RunProgress['stages'] {
    return [...this.stages.values()].flatMap((stages) => stages.progress());
  }

  private connectorSeconds(): number {
    return (performance.now() - this.connectorStarted) / 1000;
  }

  /** What of the counts of the run is left for the connector that is going. */
  private leftOf(total: DocumentCounts): DocumentCounts {
    const left = { ...total };
    for (const { counts } of this.results) {
      for (const field of Object.keys(left) as (keyof DocumentCounts)[]) left[field] -= counts[field];
    }
    return left;
  }

  /** What is known of the connectors without their thread. */
  private lostConnectors(total: DocumentCounts): ConnectorResult[] {
    const left = this.leftOf(total);
    return this.connectors.map(({ name, status, hasPipeline }, i): ConnectorResult => {
      const ended = this.results[i];
      if (ended !== undefined) return ended;
      if (status !== 'running') {
        return { name, status: 'skipped', hasPipeline, counts: noDocuments(), received: 0, seconds: 0 };
      }
      const seconds = this.connectorSeconds();
      const result = { name, hasPipeline, counts: left, received: left.published, seconds };
      if (this.stopping !== undefined) return { ...result, status: 'stopped' };
      return { ...result, status: 'failed', error: { text: 'Connector exception.', timed: true } };
    });
  }

  /** The result of a run whose thread cannot tell it any more. What was in flight counts as failed. */
  private lose(failure: Failure): void {
    if (this.ended) return;
    const counts = this.counts.read();
    const pending = pendingDocuments(counts);
    counts.failed += pending;
    const problem: Problem = { severity: 'error', path: '', ...failure };
    const status = this.stopping ?? 'FAILED';
    const connectors = this.lostConnectors(counts);
    this.finish({
      status,
      message: runSummary(status, connectors, [problem]),
      problems: [problem],
      connectors,
      counts,
      failures: [],
      seconds: (performance.now() - this.started) / 1000,
    });
    void this.worker.terminate();
  }
}

/**
 * Ends a thread that has done its work, when it has ended its own threads: Node's main thread keeps for ever what it
 * knows of a thread whose parent has gone before it.
 */
function endThread(worker: Worker): void {
  const end = () => void worker.terminate();
  const timer = setTimeout(end, END_MILLIS);
  timer.unref();
  worker.once('exit', () => clearTimeout(timer));
  worker.on('message', (message: FromRun) => message.type === 'ended' && end());
  worker.postMessage({ type: 'end' } satisfies ToRun);
}

const ENDED_BY_ITSELF = new Error('it ended, as if by process.exit()');

function lostThread(error: unknown, heapMb: number): Failure {
  if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return {
      code: 'HR_RUN_OUT_OF_MEMORY',
      message: `The run used more than its ${heapMb} MiB of memory`,
      hint: 'Make the documents smaller; in a service, limits.runHeapMb sets the limit.',
    };
  }
  return { code: 'HR_RUN_THREAD_LOST', message: `The thread of the run ended unexpectedly: ${messageOf(error)}` };
}
