import {
  counted,
  hasErrors,
  type LogRecord,
  type RegistrySource,
  type RunResult,
  SecretMask,
} from '@headrace/engine/reading';
import type { RunLauncher } from '@headrace/engine/threads';
import type { ObjectNode } from '@headrace/hocon';
import { loadConfig, registrySource } from '../config/load-config.ts';
import { writeProblems } from '../config/print-problems.ts';
import { CommandError, EXIT } from '../process/exit-code.ts';
import { writeLines } from '../process/output.ts';
import { randomId } from '../process/random-id.ts';
import { sayError, writeRecord, writesJson } from '../process/standard-error.ts';
import { onStopSignal, type StopSignal, signalExitCode } from '../process/stop-signals.ts';
import { createReporter } from '../report/run-reporter.ts';
import type { PublishedRun } from './distribute.ts';
import type { DistributedConfig } from './load-distributed.ts';

export interface RunOptions {
  readonly set: readonly string[];
  readonly dryRun: string | undefined;
  readonly failures: string | undefined;
  readonly maxFailures: string | undefined;
  readonly retry: string | undefined;
  readonly components: readonly string[];
  readonly distributed: boolean;
  readonly external: boolean;
  readonly pipeline?: string | undefined;
  readonly threads?: number | undefined;
  readonly healthPort?: number | undefined;
}

/** Runs the config of a file in prepared threads. Returns the exit code. */
export async function runFile(threads: RunLauncher, file: string, options: RunOptions): Promise<number> {
  const isDistributed = options.distributed || options.external;
  checkOptions(options);
  const loaded = await load(file, options, isDistributed);
  if (loaded === undefined) return EXIT.invalid;
  const { name } = loaded;
  const mask = new SecretMask(loaded.root, false);
  const masked = (text: string) => mask.text(text);
  const failureFile = async () => import('../report/failure-file.ts');
  const retry =
    options.retry === undefined
      ? undefined
      : await (await failureFile()).readFailureFile(options.retry, options.failures);
  const failures =
    options.failures === undefined ? undefined : new (await failureFile()).FailureFile(options.failures, masked);
  const runId = randomId();
  // The run continues while the modules for its report are loaded.
  const reporting = createReporter(runId, () => handle.progress());
  const log = (record: LogRecord) => void reporting.then((reporter) => reporter.log(record));
  const onLog = (record: LogRecord) => log(mask.record(record));
  const published = await publish(loaded, options, threads, onLog);
  const { root, registry } = published ?? loaded;
  // Undefined if the run was lost before it could report it.
  let usesStandardOutput: boolean | undefined;
  const handle = threads.start(
    {
      runId,
      root,
      registry,
      trusted: true,
      ...(options.dryRun === undefined ? {} : { dryRunFile: options.dryRun }),
      ...(retry === undefined ? {} : { retry }),
      // Failures are written to a file of the user immediately, so their total size needs no limit.
      keepAllFailures: true,
    },
    {
      onLog: (record) => {
        published?.logged(record);
        onLog(record);
      },
      ...(failures === undefined ? {} : { onFailures: (some) => failures.write(some) }),
      onChecked: (facts) => {
        failures?.keep(facts.marksRead);
        // In a distributed run, this process has no indexer that writes to standard output.
        if (!isDistributed) usesStandardOutput = facts.usesStandardOutput;
      },
    },
  );
  published?.started(handle);
  let stoppedBy: StopSignal | undefined;
  const stopListening = onStopSignal((signal) => {
    stoppedBy = signal;
    const message = `${signal}: the run ends after its open documents; a second signal ends it immediately`;
    log({ level: 'warn', time: Date.now(), logger: 'headrace', message });
    handle.stop('CANCELLED');
  });
  try {
    const result = await handle.done;
    await published?.close();
    (await reporting).close();
    const invalid = isInvalid(result);
    const reported = result.problems.filter((p) => invalid || p.severity === 'warning');
    writeProblems(reported, name, masked);
    if (!invalid) {
      const isBesideDocuments =
        options.dryRun === undefined && (usesStandardOutput ?? (await writesDocuments(loaded.root, loaded.registry)));
      const text = `${masked(result.message)}\nRun took ${result.seconds.toFixed(2)} secs.`;
      writeSummary(text, isBesideDocuments ? 'stderr' : 'stdout', runId);
    }
    failures?.close(result.status === 'FAILED');
    if (invalid) return EXIT.invalid;
    if (stoppedBy !== undefined) return signalExitCode(stoppedBy);
    const undelivered = result.connectors.reduce((sum, connector) => sum + (connector.undelivered ?? 0), 0);
    if (undelivered > 0) {
      const what = counted(undelivered, 'document');
      sayError(`${what} could not be delivered because the destination did not accept any`);
    }
    return result.status === 'SUCCEEDED' && undelivered === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    stopListening();
  }
}

/** A config that is ready to run. */
interface Loaded {
  readonly root: ObjectNode;
  readonly registry: RegistrySource;
  readonly name: string;
  /** Set for a distributed run. */
  readonly distributed?: DistributedConfig;
}

/** Reads the config and prints its problems. Returns undefined if the config cannot run. */
async function load(file: string, options: RunOptions, isDistributed: boolean): Promise<Loaded | undefined> {
  const registry = registrySource(file, options.components);
  if (isDistributed) {
    const { loadDistributed } = await import('./load-distributed.ts');
    const distributed = await loadDistributed(file, settingsOf(options), options.components, true);
    return distributed && { root: distributed.root, registry, name: distributed.name, distributed };
  }
  const { root, problems, name } = await loadConfig(file, settingsOf(options));
  writeProblems(problems, name);
  return root === undefined || hasErrors(problems) ? undefined : { root, registry, name };
}

/** Prepares a distributed run. Returns undefined for a run in this process. */
async function publish(
  { distributed }: Loaded,
  { external, pipeline, healthPort }: RunOptions,
  threads: RunLauncher,
  onLog: (record: LogRecord) => void,
): Promise<PublishedRun | undefined> {
  if (distributed === undefined) return undefined;
  const { distribute } = await import('./distribute.ts');
  return distribute(distributed, { isExternal: external, pipeline, healthPort }, threads, onLog);
}

function checkOptions({ distributed, external, pipeline, dryRun, retry, healthPort }: RunOptions): void {
  if (pipeline !== undefined && !external) {
    const message = `--pipeline needs --external. ${distributed ? 'With --distributed, this process has no workers and indexers.' : 'A run in one process executes all pipelines.'}`;
    throw new CommandError(message, EXIT.invalid);
  }
  if (!distributed && !external) {
    if (healthPort === undefined) return;
    throw new CommandError('--health-port needs --distributed or --external.', EXIT.invalid);
  }
  if (distributed && external) throw new CommandError('Use --distributed or --external, not both.', EXIT.invalid);
  if (dryRun !== undefined || retry !== undefined) {
    const option = dryRun === undefined ? '--retry' : '--dry-run';
    throw new CommandError(`${option} runs in one process. Remove --distributed or --external.`, EXIT.invalid);
  }
}

/** Writes the summary as text. If it goes to standard error and logs are JSON, writes it as a log record. */
function writeSummary(text: string, to: 'stdout' | 'stderr', runId: string): void {
  if (to === 'stderr' && writesJson()) writeRecord({ level: 'info', runId, logger: 'runner', msg: text });
  else writeLines(to, text.split('\n'));
}

/** Returns the values of the config that options set. */
function settingsOf({ set, maxFailures, threads }: RunOptions): readonly string[] {
  return [
    ...set,
    ...(maxFailures === undefined ? [] : [`runner.maxFailures=${maxFailures}`]),
    ...(threads === undefined ? [] : [`worker.threads=${threads}`]),
  ];
}

/**
 * Returns true if the indexer writes documents to standard output. For a run that ended before it could report this.
 * Loads only the module of the indexer, because other modules could keep this process from ending.
 */
async function writesDocuments(root: ObjectNode, source: RegistrySource): Promise<boolean> {
  const { Registry, writesToStandardOutput } = await import('@headrace/engine');
  return writesToStandardOutput(root, await Registry.open({ ...source, modules: [] }));
}

/** Returns whether the run did not start because its config or its documents to retry are invalid. */
function isInvalid({ status, connectors, problems }: RunResult): boolean {
  const refused = problems.some(
    ({ severity, code }) => severity === 'error' && (code.startsWith('HR_CONFIG_') || code === 'HR_RETRY_INVALID'),
  );
  return status === 'FAILED' && connectors.length === 0 && refused;
}
