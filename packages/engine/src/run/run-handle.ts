import { MAX_MILLIS } from '../component/max-millis.ts';
import type { Failure } from '../errors/headrace-error.ts';
import type { Problem } from '../errors/problem.ts';
import type { KeptFailure } from '../failures/kept-failure.ts';
import type { Notice } from '../notices/notice.ts';
import { MessageGate } from '../transport/message-gate.ts';
import { type DocumentCounts, noDocuments, pendingDocuments, SharedCounts } from './counters.ts';
import type { FromDestinations } from './destination-messages.ts';
import type { Destinations } from './destinations.ts';
import { SharedIndexing } from './indexing-statistics.ts';
import type { RunHandle, RunListeners, RunProgress, RunRequest } from './run-request.ts';
import type { ConnectorResult, RunResult } from './run-result.ts';
import { runSummary } from './run-summary.ts';
import type { RunThread } from './run-thread.ts';
import { ConnectorStages, SharedStatistics } from './stage-statistics.ts';
import { watchStart } from './start-limit.ts';
import { type StopReason, stopFailure } from './stop-reason.ts';
import { ENDED_BY_ITSELF, endThread, lostThread } from './thread-end.ts';
import type { ConnectorProgress, FromRun, LimitedStart, ThreadResult, ThreadStages, ToRun } from './thread-messages.ts';
import { STOP_GRACE_MILLIS } from './time-limits.ts';

/** The limit of the duration of a run, without the time in which it waits for other runs. */
interface TimeLimit {
  readonly seconds: number;
  /** What was left when the clock was started or stopped. */
  leftMillis: number;
  /** When the clock was started. */
  since: number;
}

/** Controls a run in its thread from the process. */
export class StartedRun implements RunHandle {
  readonly runId: string;
  readonly done: Promise<RunResult>;
  readonly #worker: RunThread;
  readonly #counts = new SharedCounts();
  readonly #indexing = new SharedIndexing();
  #indexer: string | undefined;
  /** The notices so far. */
  #notices: readonly Notice[] = [];
  readonly #started = performance.now();
  #connectors: readonly ConnectorProgress[] = [];
  #results: readonly ConnectorResult[] = [];
  readonly #stages = new Map<string, ConnectorStages>();
  #connectorStarted = performance.now();
  #stopping: StopReason | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The time limit of the run. Undefined if there is none. */
  #limit: TimeLimit | undefined;
  /** Why the run waits for another run. Undefined if it does not. */
  #waiting: string | undefined;
  #ended = false;
  /** Ends the watch of the component that starts. */
  #endWatch = (): void => undefined;
  /** Resolves when the thread has the answers about all failed documents so far. */
  #storing: Promise<void> = Promise.resolve();
  #finish: (result: ThreadResult) => void = () => undefined;

  constructor(
    request: RunRequest,
    worker: RunThread,
    heapMb: number,
    listeners: RunListeners,
    destinations: Destinations,
  ) {
    this.runId = request.runId;
    this.#worker = worker;
    this.done = new Promise((resolve) => {
      this.#finish = (result) => {
        this.#ended = true;
        clearTimeout(this.#timer);
        this.#endWatch();
        resolve({ ...result, stages: this.#stageProgress() });
      };
    });
    const others = destinations.connect(this.runId, (message) => this.#deliver(message, listeners));
    // Not before: the thread may send requests until its end.
    worker.once('exit', () => others.end());
    const logGate = new MessageGate();
    const failureGate = new MessageGate();
    worker.on('message', (message: FromRun) => {
      if (message.type === 'log') {
        listeners.onLog?.(message.record);
        logGate.leave();
      } else if (message.type === 'connectors') {
        this.#follow(message);
        listeners.onConnectors?.();
      } else if (message.type === 'notices') {
        this.#notices = message.notices;
      } else if (message.type === 'failures') {
        this.#store(message.failures, listeners);
        failureGate.leave(message.weight);
      } else if (message.type === 'checked') {
        this.#indexer = message.facts.indexer;
        listeners.onChecked?.(message.facts);
      } else if (message.type === 'starting') this.#watchStart(message.start);
      else if (message.type === 'destinations') others.receive(message.message);
      else if (message.type === 'thread') this.#addThread(message);
      else if (message.type === 'done') {
        this.#finish(message.result);
        // Anything that is still active in the thread, such as a timer or a connection, is no longer needed.
        endThread(worker);
      } else if (message.type === 'crashed') this.#lose(message.failure);
    });
    worker.once('error', (error) => this.#lose(lostThread(error, heapMb)));
    worker.once('exit', () => this.#lose(lostThread(ENDED_BY_ITSELF, heapMb)));
    const { maxRunSecs } = request.registry.policy?.limits ?? {};
    if (maxRunSecs !== undefined) {
      this.#limit = { seconds: maxRunSecs, leftMillis: maxRunSecs * 1000, since: 0 };
      this.#startClock();
    }
    const keepFailures = listeners.onFailures !== undefined;
    const { buffer: counts } = this.#counts;
    const { buffer: indexing } = this.#indexing;
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
    const counts = this.#counts.read();
    const left = this.#leftOf(counts);
    const connectors = this.#connectors.map(({ name, status }, i): RunProgress['connectors'][number] => {
      const ended = this.#results[i];
      if (ended !== undefined) return { name, status, counts: ended.counts, seconds: ended.seconds };
      if (status !== 'running') return { name, status, counts: noDocuments(), seconds: 0 };
      return { name, status, counts: left, seconds: this.#connectorSeconds() };
    });
    return {
      counts,
      connectors,
      stages: this.#stageProgress(),
      indexing: this.#indexing.read(this.#indexer),
      notices: this.#notices,
      ...(this.#waiting === undefined ? {} : { waiting: this.#waiting }),
    };
  }

  stop(status: 'CANCELLED' | 'INTERRUPTED'): void {
    this.#stopFor({ status });
  }

  /**
   * Delivers a message about other runs with the same destination to the thread. While the run waits for one of them, its
   * clock stops. A run has only one indexer, so it waits at most once at a time.
   */
  #deliver(message: FromDestinations, listeners: RunListeners): void {
    // A thread that was ended may still be known to the destinations for a moment.
    if (message.type === 'waiting' && !this.#ended) {
      if (this.#waiting === undefined) {
        this.#stopClock();
        listeners.onWait?.();
      }
      this.#waiting = message.message;
    } else if (message.type === 'entered' && this.#waiting !== undefined) {
      if (!this.#ended) void this.#continue(message, listeners);
      return;
    }
    this.#worker.postMessage({ type: 'destinations', message } satisfies ToRun);
  }

  async #continue(message: FromDestinations, listeners: RunListeners): Promise<void> {
    this.#waiting = 'The run waits until fewer runs are active. The run that it waited for has ended';
    await listeners.onContinue?.();
    this.#waiting = undefined;
    this.#startClock();
    if (!this.#ended) this.#worker.postMessage({ type: 'destinations', message } satisfies ToRun);
  }

  /** Starts the clock of the time limit. It is in this thread, because all threads of the run may be blocked. */
  #startClock(): void {
    if (this.#limit === undefined || this.#ended || this.#stopping !== undefined) return;
    const { seconds, leftMillis } = this.#limit;
    const failure: Failure = {
      code: 'HR_RUN_TIMEOUT',
      message: `The run did not finish within ${seconds} s, which is the limit for uploaded configs`,
      hint: 'Split the source into several runs, or ask the operator to raise policy.limits.maxRunSecs.',
    };
    this.#limit.since = performance.now();
    this.#timer = setTimeout(() => this.#stopFor({ status: 'FAILED', failure }), Math.min(leftMillis, MAX_MILLIS));
  }

  #stopClock(): void {
    if (this.#limit === undefined || this.#stopping !== undefined) return;
    clearTimeout(this.#timer);
    this.#limit.leftMillis -= performance.now() - this.#limit.since;
  }

  /** Ends the run if its thread computes too long before a component has started. */
  #watchStart(start: LimitedStart | undefined): void {
    this.#endWatch();
    this.#endWatch = () => undefined;
    const { performance } = this.#worker;
    if (start === undefined || performance === undefined) return;
    const { what, code, millis } = start;
    this.#endWatch = watchStart({ performance }, millis, () =>
      this.#lose({
        code,
        message: `${what} computed longer than ${millis / 1000} s to start, which is the limit for uploaded configs`,
        hint: 'Let it start with less work, or ask the operator to raise policy.limits.maxProcessingSecs.',
      }),
    );
  }

  #stopFor(reason: StopReason): void {
    if (this.#ended || this.#stopping !== undefined) return;
    this.#stopping = reason;
    this.#worker.postMessage({ type: 'stop', reason } satisfies ToRun);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const message = `The run did not stop within ${STOP_GRACE_MILLIS / 1000} seconds and was ended`;
      this.#lose(stopFailure(reason) ?? { code: 'HR_RUN_CANCELLED', message });
    }, STOP_GRACE_MILLIS);
  }

  /** Passes failed documents on, and informs the thread when they are stored. */
  #store(failures: KeptFailure[], { onFailures }: RunListeners): void {
    const stored = (async () => onFailures?.(failures))().then(
      () => true,
      () => false,
    );
    this.#storing = Promise.all([stored, this.#storing]).then(([isStored]) => {
      if (!this.#ended) this.#worker.postMessage({ type: 'failures-stored', stored: isStored } satisfies ToRun);
    });
  }

  #follow({ connectors, results }: Extract<FromRun, { type: 'connectors' }>): void {
    const begins = this.#connectors.length === 0 || results.length !== this.#results.length;
    if (begins) this.#connectorStarted = performance.now();
    this.#connectors = connectors;
    this.#results = results;
  }

  #addThread({ connector, pipeline, stages, statistics }: ThreadStages): void {
    const known = this.#stages.get(connector) ?? new ConnectorStages(connector, pipeline, stages);
    this.#stages.set(connector, known);
    known.add(new SharedStatistics(statistics));
  }

  #stageProgress(): RunProgress['stages'] {
    return [...this.#stages.values()].flatMap((stages) => stages.progress());
  }

  #connectorSeconds(): number {
    return (performance.now() - this.#connectorStarted) / 1000;
  }

  /** Returns the counts of the active connector: all counts minus the counts of the finished connectors. */
  #leftOf(total: DocumentCounts): DocumentCounts {
    const left = { ...total };
    for (const { counts } of this.#results) {
      for (const field of Object.keys(left) as (keyof DocumentCounts)[]) left[field] -= counts[field];
    }
    return left;
  }

  /** Returns the results of the connectors, as far as the process knows them without the thread. */
  #lostConnectors(total: DocumentCounts): ConnectorResult[] {
    const left = this.#leftOf(total);
    // The unfinished documents of ended connectors are in their own results.
    for (const { counts } of this.#results) left.failed -= pendingDocuments(counts);
    return this.#connectors.map(({ name, status, hasPipeline }, i): ConnectorResult => {
      const ended = this.#results[i];
      if (ended !== undefined) return withoutPending(ended);
      if (status !== 'running') {
        return { name, status: 'skipped', hasPipeline, counts: noDocuments(), received: 0, seconds: 0 };
      }
      const seconds = this.#connectorSeconds();
      const result = { name, hasPipeline, counts: left, received: left.published, seconds };
      if (this.#stopping !== undefined) return { ...result, status: 'stopped' };
      return { ...result, status: 'failed', error: { text: 'Connector exception.', timed: true } };
    });
  }

  /** Ends a run whose thread cannot report its result. Unfinished documents count as failed. */
  #lose(failure: Failure): void {
    if (this.#ended) return;
    const counts = this.#counts.read();
    const pending = pendingDocuments(counts);
    counts.failed += pending;
    const problem: Problem = { severity: 'error', path: '', ...failure };
    const status = this.#stopping?.status ?? 'FAILED';
    const connectors = this.#lostConnectors(counts);
    this.#finish({
      status,
      message: runSummary(status, connectors, [problem], { notices: this.#notices }),
      problems: [problem],
      connectors,
      counts,
      notices: this.#notices,
      failures: [],
      seconds: (performance.now() - this.#started) / 1000,
    });
    void this.#worker.terminate();
  }
}

/** Returns the result of a connector whose output was not completed: its unfinished documents failed. */
function withoutPending(result: ConnectorResult): ConnectorResult {
  const { counts } = result;
  return { ...result, counts: { ...counts, failed: counts.failed + pendingDocuments(counts) } };
}
