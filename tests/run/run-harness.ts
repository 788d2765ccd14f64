import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import {
  type KeptFailure,
  type LogRecord,
  type PreviewRequest,
  type RegistrySource,
  type RunHandle,
  type RunRequest,
  type RunResult,
  readConfigText,
} from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';

/** The built-in components and those of `fixture-components.ts`. */
export const registrySource: RegistrySource = {
  catalogs: [catalogUrl],
  modules: ['./fixture-components.ts'],
  base: new URL('.', import.meta.url).href,
  allowModules: true,
};

/** Returns a config of one connector, one pipeline and one indexer, as most tests of runs need. */
export function configOf(parts: { connector?: string; stages?: string; indexer?: string; rest?: string }): string {
  const {
    connector = 'class: CountConnector, count: 10',
    stages = '',
    indexer = 'class: NopIndexer',
    rest = '',
  } = parts;
  return `connectors: [{name: c, pipeline: p, ${connector}}]
pipelines: [{name: p, stages: [${stages}]}]
indexer { ${indexer} }
${rest}`;
}

interface HarnessOptions {
  readonly heapMb?: number;
  /**
   * True to use a new launcher for each run. A launcher loads the modules of its earlier runs into each new thread, which
   * takes time if every run uses other modules.
   */
  readonly separateLaunchers?: boolean;
  /** True to serve the runs in the thread of the test. */
  readonly isLocal?: boolean;
  /**
   * What happens to failed documents: they are stored (the default), they cannot be stored, or nothing stores them.
   */
  readonly failures?: 'stored' | 'refused' | 'dropped';
  /** Replaces parts of `registrySource`. */
  readonly registry?: Partial<RegistrySource>;
}

/** Starts runs from config texts, in a separate folder. */
export class RunHarness {
  readonly directory = mkdtempSync(join(tmpdir(), 'headrace-run-'));
  readonly logged: LogRecord[] = [];
  /** Failed documents that the runs reported. */
  readonly failures: { runId: string; kept: KeptFailure }[] = [];
  lastRunId = '';
  #runs = 0;
  readonly #options: HarnessOptions;
  readonly #launchers: RunLauncher[] = [];

  constructor(options: HarnessOptions = {}) {
    this.#options = options;
  }

  start(config: string, request: Partial<RunRequest> = {}): RunHandle {
    const { root, problems } = readConfigText(config);
    if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
    const runId = request.runId ?? `run-${++this.#runs}`;
    this.lastRunId = runId;
    return this.#launcher().start(
      { root, registry: { ...registrySource, ...this.#options.registry }, ...request, runId },
      {
        onLog: (record) => this.logged.push(record),
        ...(this.#options.failures === 'dropped'
          ? {}
          : { onFailures: (failures) => this.#store(failures.map((kept) => ({ runId, kept }))) }),
      },
    );
  }

  #store(failures: { runId: string; kept: KeptFailure }[]): void {
    if (this.#options.failures === 'refused') throw new Error('no space left on device');
    this.failures.push(...failures);
  }

  run(config: string, request: Partial<RunRequest> = {}): Promise<RunResult> {
    return this.start(config, request).done;
  }

  preview(config: string, request: Partial<PreviewRequest> = {}, timeoutMillis = 30_000, signal?: AbortSignal) {
    const { root } = readConfigText(config);
    if (root === undefined) throw new Error('no config');
    return this.#launcher().preview(
      { root, registry: { ...registrySource, ...this.#options.registry }, ...request },
      timeoutMillis,
      signal,
    );
  }

  /** Checks the connections of a config, as `validate --connect` does. */
  reach(config: string, timeoutMillis = 30_000) {
    const { root } = readConfigText(config);
    if (root === undefined) throw new Error('no config');
    return this.#launcher().reach({ root, registry: { ...registrySource, ...this.#options.registry } }, timeoutMillis);
  }

  async close(): Promise<void> {
    await Promise.all(this.#launchers.map((launcher) => launcher.close()));
    rmSync(this.directory, { recursive: true, force: true });
  }

  #launcher(): RunLauncher {
    const { heapMb = 512, separateLaunchers = false, isLocal = false } = this.#options;
    const [last] = this.#launchers;
    if (last !== undefined && !separateLaunchers) return last;
    const launcher = new RunLauncher({ heapMb, keepWarm: false, isLocal });
    this.#launchers.push(launcher);
    return launcher;
  }
}

/** Returns the counts of a run. Throws unless every document is counted exactly once. */
export function accountsOf({ counts }: RunResult): RunResult['counts'] {
  const { published, created, succeeded, failed, dropped } = counts;
  if (published + created !== succeeded + failed + dropped)
    throw new Error(`accounts do not add up: ${JSON.stringify(counts)}`);
  return counts;
}
