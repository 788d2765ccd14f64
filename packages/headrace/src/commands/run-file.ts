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
import { EXIT } from '../process/exit-code.ts';
import { randomId } from '../process/random-id.ts';
import { sayError, writeRecord, writesJson } from '../process/standard-error.ts';
import { onStopSignal, type StopSignal, signalExitCode } from '../process/stop-signals.ts';
import { createReporter } from '../report/run-reporter.ts';

export interface RunOptions {
  readonly set: readonly string[];
  readonly dryRun: string | undefined;
  readonly failures: string | undefined;
  readonly maxFailures: string | undefined;
  readonly retry: string | undefined;
  readonly components: readonly string[];
}

/** Runs the config of a file in threads that are ready. Gives the exit code. */
export async function runFile(threads: RunLauncher, file: string, options: RunOptions): Promise<number> {
  const { root, problems, name } = await loadConfig(file, settingsOf(options));
  writeProblems(problems, name);
  if (root === undefined || hasErrors(problems)) return EXIT.invalid;
  const mask = new SecretMask(root, false);
  const masked = (text: string) => mask.text(text);
  const failureFile = async () => import('../report/failure-file.ts');
  const retry =
    options.retry === undefined
      ? undefined
      : await (await failureFile()).readFailureFile(options.retry, options.failures);
  const registry = registrySource(file, options.components);
  const failures =
    options.failures === undefined ? undefined : new (await failureFile()).FailureFile(options.failures, masked);
  const runId = randomId();
  // The run continues while the modules for its report are loaded.
  const reporting = createReporter(runId, () => handle.progress());
  const log = (record: LogRecord) => void reporting.then((reporter) => reporter.log(record));
  // A run that is lost early does not report it.
  let usesStandardOutput: boolean | undefined;
  const handle = threads.start(
    {
      runId,
      root,
      registry,
      trusted: true,
      ...(options.dryRun === undefined ? {} : { dryRunFile: options.dryRun }),
      ...(retry === undefined ? {} : { retry }),
      // It is a file of the user's, and written as they come.
      keepAllFailures: true,
    },
    {
      onLog: (record) => log(mask.record(record)),
      ...(failures === undefined ? {} : { onFailures: (some) => failures.write(some) }),
      onIndexer: (uses) => {
        usesStandardOutput = uses;
      },
    },
  );
  let stoppedBy: StopSignal | undefined;
  const stopListening = onStopSignal((signal) => {
    stoppedBy = signal;
    const message = `${signal}: the run ends when what is in flight is finished; once more ends it at once`;
    log({ level: 'warn', time: Date.now(), logger: 'headrace', message });
    handle.stop('CANCELLED');
  });
  try {
    const result = await handle.done;
    (await reporting).close();
    const invalid = isInvalid(result);
    const reported = result.problems.filter((p) => invalid || p.severity === 'warning');
    writeProblems(reported, name, masked);
    if (!invalid) {
      const isBesideDocuments =
        options.dryRun === undefined && (usesStandardOutput ?? (await writesDocuments(root, registry)));
      const text = `${masked(result.message)}\nRun took ${result.seconds.toFixed(2)} secs.`;
      writeSummary(text, isBesideDocuments ? process.stderr : process.stdout, runId);
    }
    failures?.close(result.status === 'FAILED');
    if (invalid) return EXIT.invalid;
    if (stoppedBy !== undefined) return signalExitCode(stoppedBy);
    const undelivered = result.connectors.reduce((sum, connector) => sum + (connector.undelivered ?? 0), 0);
    if (undelivered > 0) {
      const what = counted(undelivered, 'document');
      sayError(`${what} could not be delivered, for reasons that are not theirs`);
    }
    return result.status === 'SUCCEEDED' && undelivered === 0 ? EXIT.ok : EXIT.failed;
  } finally {
    stopListening();
  }
}

/** The summary is text, but for a program that reads standard error. */
function writeSummary(text: string, to: NodeJS.WritableStream, runId: string): void {
  if (to === process.stderr && writesJson()) writeRecord({ level: 'info', runId, logger: 'runner', msg: text });
  else to.write(`${text}\n`);
}

/** The values of the config that options set. */
function settingsOf({ set, maxFailures }: RunOptions): readonly string[] {
  return maxFailures === undefined ? set : [...set, `runner.maxFailures=${maxFailures}`];
}

/**
 * Whether the documents go to standard output, for a run that did not get far enough to report it. Only the module of
 * the indexer is loaded: other modules belong to the threads of the run, and could keep this one from ending.
 */
async function writesDocuments(root: ObjectNode, source: RegistrySource): Promise<boolean> {
  const { Registry, writesToStandardOutput } = await import('@headrace/engine');
  return writesToStandardOutput(root, await Registry.open({ ...source, modules: [] }));
}

/** Whether the run was refused because of its config, or of what it was to run again, so that nothing has begun. */
function isInvalid({ status, connectors, problems }: RunResult): boolean {
  const refused = problems.some(
    ({ severity, code }) => severity === 'error' && (code.startsWith('HR_CONFIG_') || code === 'HR_RETRY_INVALID'),
  );
  return status === 'FAILED' && connectors.length === 0 && refused;
}
