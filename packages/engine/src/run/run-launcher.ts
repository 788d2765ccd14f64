import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RegistrySource } from '../component/registry.ts';
import type { AccessCheckRequest } from '../config/check-access.ts';
import type { RollbackRequest } from '../config/rollback-config.ts';
import { HeadraceError } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import { FreedMemory } from '../memory/freed-memory.ts';
import { limitMemory, MemoryLedger } from '../memory/memory-ledger.ts';
import { startLastingThreads } from '../threads/lasting-thread.ts';
import { OnlyRunTuning } from '../threads/v8-tuning.ts';
import { Destinations } from './destinations.ts';
import { PreviewThread } from './preview-thread.ts';
import { StartedRun } from './run-handle.ts';
import type { PreviewRequest, PreviewResult, RunHandle, RunListeners, RunRequest } from './run-request.ts';
import { LocalThread, type RunThread } from './run-thread.ts';
import { ENDED_BY_ITSELF, endThread, lostThread } from './thread-end.ts';
import { type FromRun, RUN_YOUNG_MB, type ThreadData, type ToRun, YOUNG_MB } from './thread-messages.ts';

/**
 * The delay before the next thread is prepared, unless the run ends before. Loading a thread takes 0.2 s of CPU time,
 * which would slow down a short run.
 */
const PREPARE_MILLIS = 2000;
/** The maximum number of modules that an idle thread loads in advance. */
const MAX_PRELOADED = 32;
/**
 * The maximum number of pipeline threads that are started in advance. A third thread would start when much of the
 * source has already been read.
 */
const MAX_WARM_LANES = 2;
/**
 * The number of documents from which a second idle pipeline thread makes a run faster. For smaller runs, starting the
 * thread takes more time than it saves.
 */
const SECOND_LANE_DOCUMENTS = 100_000;

export { machineBytes } from '../memory/machine-memory.ts';
export { limitHeaps, SERVICE_FLAGS } from '../threads/v8-tuning.ts';

/** The answer of a thread to a request other than a run. */
type Answer = Extract<FromRun, { type: 'previewed' | 'access-checked' | 'rolled-back' }>;

export interface RunLauncherOptions {
  /** The limit of the JavaScript heap of each thread of a run, in MiB. */
  readonly heapMb: number;
  /** The limit of the large values of all runs of the process, in MiB. Defaults to half of the memory. */
  readonly memoryMb?: number;
  /**
   * The limit of the young generation of each thread, in MiB. A low limit saves memory in a process that processes
   * small messages.
   */
  readonly youngMb?: number;
  /** The value for which `limitHeaps` was called, if it was. */
  readonly heapGrowingPercent?: number;
  /**
   * The number of pipeline threads that are started with each run. More threads are started when there is work for
   * them. Defaults to the number in the previous run, but at most two, and to one after a small run.
   */
  readonly lanes?: number;
  /**
   * True for a service: keeps one thread ready, so that the next run starts immediately. Otherwise, one run after the
   * other may tune V8 for the process.
   */
  readonly keepWarm: boolean;
  /** A folder for the journals of rebuilds, which no other process uses. Defaults to a temporary one. */
  readonly journals?: string | undefined;
  /**
   * True to serve runs in the thread of the caller, which takes less memory; see `LocalThread`. Only for a process that
   * does nothing else: a run that exhausts the memory ends it.
   */
  readonly isLocal?: boolean;
}

/** Starts runs and previews, each in a separate thread. A crash of such a thread does not affect the process. */
export class RunLauncher {
  readonly #options: RunLauncherOptions;
  readonly #going = new Set<RunThread>();
  readonly #modules = new Set<string>();
  /** The modules of the last runs. The next run will probably need the same modules. */
  #registry: RegistrySource | undefined;
  /** The number of pipeline threads that the last run used. */
  #lanes = 1;
  #warm: RunThread | undefined;
  readonly #previews = new PreviewThread();
  readonly #destinations: Destinations;
  readonly #freed = new FreedMemory();
  #closed = false;

  constructor(options: RunLauncherOptions) {
    this.#options = options;
    this.#destinations = new Destinations(options.journals);
    startLastingThreads();
    if (options.memoryMb !== undefined) limitMemory(options.memoryMb);
    else MemoryLedger.ofProcess();
    if (options.keepWarm) this.prepare();
  }

  /**
   * Prepares a thread, so that the next run starts immediately.
   * @param modules modules of built-in components that the run will probably need
   */
  prepare(modules: readonly string[] = []): void {
    this.#noteModules(modules);
    if (this.#closed || this.#warm !== undefined) return;
    const worker = this.#spawn();
    worker.unref();
    this.#warm = worker;
    worker.once('exit', () => {
      if (this.#warm === worker) this.#warm = undefined;
    });
  }

  start(request: RunRequest, listeners: RunListeners = {}): RunHandle {
    const worker = this.#take();
    this.#registry = request.registry;
    const run = new StartedRun(request, worker, this.#options.heapMb, listeners, this.#destinations);
    const opened = new Map<string, number>();
    const { keepWarm, heapGrowingPercent } = this.#options;
    const tuning = keepWarm ? undefined : new OnlyRunTuning(heapGrowingPercent);
    worker.on('message', (message: FromRun) => {
      if (message.type === 'modules') this.#noteModules(message.modules);
      else if (message.type === 'thread') {
        const lanes = (opened.get(message.connector) ?? 0) + 1;
        opened.set(message.connector, lanes);
        tuning?.opened(lanes);
      } else if (message.type === 'loaded') tuning?.loaded(Math.max(...opened.values()));
      else if (message.type === 'done')
        this.#lanes = message.result.counts.published < SECOND_LANE_DOCUMENTS ? 1 : Math.max(1, ...opened.values());
    });
    void run.done.then(() => {
      tuning?.end();
      if (keepWarm) this.prepare();
    });
    return run;
  }

  /**
   * Runs a preview. Rejects with a `HeadraceError` if the preview exceeds the time limit, its thread is lost, or the
   * signal is aborted.
   * @param signal aborted when the client no longer waits for the result
   */
  async preview(request: PreviewRequest, timeoutMillis: number, signal?: AbortSignal): Promise<PreviewResult> {
    const late = `The preview did not finish within ${timeoutMillis} ms`;
    const hint = 'Send or request fewer documents.';
    // A document that computes endlessly fails alone, and the preview continues.
    const maxComputeMillis = timeoutMillis / 3;
    const question: ToRun = { type: 'preview', request, maxComputeMillis };
    const worker = this.#previews.take(request) ?? this.#take();
    const answer = await this.#ask(worker, question, timeoutMillis, late, hint, signal);
    if (this.#closed || !this.#options.keepWarm || !this.#previews.keep(worker, request)) endThread(worker);
    return (answer as Extract<Answer, { type: 'previewed' }>).result;
  }

  /**
   * Returns all problems of a config, including failed connections to its sources and destination. Rejects as `preview`
   * does.
   */
  async checkAccess(request: AccessCheckRequest, timeoutMillis: number): Promise<Problem[]> {
    const late = `The check of the sources and the destination did not finish within ${timeoutMillis} ms`;
    const hint = 'First check the config without connections.';
    const worker = this.#take();
    const answer = await this.#ask(worker, { type: 'check-access', request }, timeoutMillis, late, hint);
    endThread(worker);
    return (answer as Extract<Answer, { type: 'access-checked' }>).problems;
  }

  /**
   * Puts the previous output of a config into use again. Returns a sentence that says what changed. Rejects as `preview`
   * does, and with the reason if nothing changed.
   */
  async rollback(request: RollbackRequest, timeoutMillis: number): Promise<string> {
    const late = `The rollback did not finish within ${timeoutMillis} ms`;
    const hint = 'Check the destination before the next attempt.';
    const worker = this.#take();
    const answer = await this.#ask(worker, { type: 'rollback', request }, timeoutMillis, late, hint);
    endThread(worker);
    return (answer as Extract<Answer, { type: 'rolled-back' }>).message;
  }

  /** Sends a request to a thread and returns its answer. Terminates the thread if there is none. */
  async #ask(
    worker: RunThread,
    question: ToRun,
    timeoutMillis: number,
    late: string,
    lateHint: string,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const gone = () => reject(new HeadraceError('HR_RUN_CANCELLED', 'The client has closed the connection'));
    const onMessage = (message: FromRun) => {
      if (message.type === 'previewed' || message.type === 'access-checked' || message.type === 'rolled-back')
        resolve(message);
      else if (message.type === 'crashed') reject(HeadraceError.of(message.failure));
    };
    const lose = (error: unknown) => reject(HeadraceError.of(lostThread(error, this.#options.heapMb)));
    const onExit = () => lose(ENDED_BY_ITSELF);
    const timer = setTimeout(() => {
      reject(new HeadraceError('HR_RUN_CANCELLED', late, { hint: lateHint }));
    }, timeoutMillis);
    signal?.addEventListener('abort', gone);
    worker.on('message', onMessage).once('error', lose).once('exit', onExit);
    try {
      if (signal?.aborted) gone();
      worker.postMessage(question);
      return await promise;
    } catch (error) {
      await worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', gone);
      worker.off('message', onMessage).off('error', lose).off('exit', onExit);
    }
  }

  /** Ends all threads. Active runs then fail, so stop them before. */
  async close(): Promise<void> {
    this.#closed = true;
    const warm = this.#warm;
    this.#warm = undefined;
    await Promise.all([warm?.terminate(), ...[...this.#going].map((worker) => worker.terminate())]);
  }

  #take(): RunThread {
    const worker = this.#warm ?? this.#spawn();
    this.#warm = undefined;
    this.#going.add(worker);
    worker.once('exit', () => this.#going.delete(worker));
    worker.ref();
    // The next thread is prepared later, so that it does not slow down the start of this run.
    if (this.#options.keepWarm) setTimeout(() => this.prepare(), PREPARE_MILLIS).unref();
    return worker;
  }

  /** Stores the most recently used modules. */
  #noteModules(modules: readonly string[]): void {
    for (const module of modules) {
      this.#modules.delete(module);
      this.#modules.add(module);
    }
    for (const oldest of this.#modules) {
      if (this.#modules.size <= MAX_PRELOADED) break;
      this.#modules.delete(oldest);
    }
  }

  #spawn(): RunThread {
    const { heapMb, youngMb = YOUNG_MB, lanes = Math.min(MAX_WARM_LANES, this.#lanes) } = this.#options;
    const registry = this.#registry;
    const preload = { modules: [...this.#modules], ...(registry === undefined ? {} : { registry }) };
    const data: ThreadData = { heapMb, youngMb, lanes, preload };
    if (this.#options.isLocal === true) return new LocalThread(data).on('error', () => undefined);
    // Tests run the source files, which have another extension.
    const entry = new URL(`./run-thread-entry${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(entry, {
      workerData: data,
      resourceLimits: {
        maxOldGenerationSizeMb: heapMb,
        maxYoungGenerationSizeMb: Math.min(youngMb, RUN_YOUNG_MB),
      },
      name: 'run',
    });
    const { threadId: number } = worker;
    worker.once('exit', () => {
      MemoryLedger.ofProcess().end(number);
      if (this.#options.keepWarm) this.#freed.returnSoon();
    });
    // Also an idle thread may fail. Without a listener, its error would end the process.
    return worker.on('error', () => undefined);
  }
}
