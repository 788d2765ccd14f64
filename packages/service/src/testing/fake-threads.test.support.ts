import {
  type DocumentCounts,
  noDocuments,
  type PreviewRequest,
  type PreviewResult,
  type Problem,
  pendingDocuments,
  type RollbackRequest,
  type RunHandle,
  type RunListeners,
  type RunProgress,
  type RunRequest,
  type RunResult,
  runSummary,
} from '@headrace/engine';

/** A run that continues until its test ends it. */
export class FakeRun implements RunHandle {
  readonly runId: string;
  readonly request: RunRequest;
  readonly done: Promise<RunResult>;
  readonly counts: DocumentCounts = noDocuments();
  connectorNames: readonly string[] = ['files'];
  readonly stages: RunProgress['stages'] = [];
  notices: RunResult['notices'] = [];
  /** The listeners of the service. */
  readonly listeners: RunListeners;
  /** Why the run waits for another one. */
  waiting: string | undefined;
  readonly stops: string[] = [];
  /** The effect of `stop`; by default the run ends immediately. */
  onStop: (status: 'CANCELLED' | 'INTERRUPTED') => void = (status) => this.end(status);
  #resolve!: (result: RunResult) => void;

  constructor(request: RunRequest, listeners: RunListeners) {
    this.runId = request.runId;
    this.listeners = listeners;
    this.request = request;
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  progress(): RunProgress {
    const counts = { ...this.counts };
    const connectors = this.connectorNames.map((name) => ({ name, status: 'running', counts, seconds: 1 }) as const);
    const { stages, notices, waiting } = this;
    return { counts, connectors, stages, notices, ...(waiting === undefined ? {} : { waiting }) };
  }

  stop(status: 'CANCELLED' | 'INTERRUPTED'): void {
    this.stops.push(status);
    this.onStop(status);
  }

  end(status: RunResult['status'], problems: RunResult['problems'] = []): void {
    const counts = { ...this.counts };
    counts.failed += pendingDocuments(counts);
    const connectors = this.connectorNames.map((name): RunResult['connectors'][number] => ({
      name,
      status: status === 'SUCCEEDED' ? 'complete' : 'stopped',
      hasPipeline: true,
      counts,
      received: counts.published,
      seconds: 2,
    }));
    const message = runSummary(status, connectors, problems);
    const { notices, stages } = this;
    this.#resolve({ status, message, problems, connectors, counts, notices, stages, failures: [], seconds: 2 });
  }
}

/** Executes runs without threads. Tests control them. */
export class FakeThreads {
  readonly runs: FakeRun[] = [];
  readonly previews: PreviewRequest[] = [];
  onPreview: (request: PreviewRequest, signal: AbortSignal) => Promise<PreviewResult> = async () => ({
    results: [],
    problems: [],
    notices: [],
  });

  onRollback: (request: RollbackRequest) => string = () => 'The previous index is in use';

  start(request: RunRequest, listeners: RunListeners): FakeRun {
    const run = new FakeRun(request, listeners);
    this.runs.push(run);
    return run;
  }

  preview(request: PreviewRequest, _timeoutMillis: number, signal: AbortSignal): Promise<PreviewResult> {
    this.previews.push(request);
    return this.onPreview(request, signal);
  }

  async rollback(request: RollbackRequest): Promise<string> {
    return this.onRollback(request);
  }

  async reach(): Promise<Problem[]> {
    return [];
  }

  async close(): Promise<void> {}

  /** Returns the last run that was started. */
  get last(): FakeRun {
    const run = this.runs.at(-1);
    if (run === undefined) throw new Error('No run was started');
    return run;
  }
}
