import { randomUUID } from 'node:crypto';
import {
  counted,
  hasErrors,
  type LogRecord,
  Registry,
  type RegistrySource,
  type RunResult,
  SecretMask,
  writesToStandardOutput,
} from '@headrace/engine';
import type { RunLauncher } from '@headrace/engine/threads';
import type { ObjectNode } from '@headrace/hocon';
import { loadConfig, registrySource } from '../config/load-config.ts';
import { writeProblems } from '../config/print-problems.ts';
import { EXIT } from '../process/exit-code.ts';
import { sayError, writeRecord, writesJson } from '../process/standard-error.ts';
import { onStopSignal, type StopSignal, signalExitCode } from '../process/stop-signals.ts';
import { FailureFile, readFailureFile } from '../report/failure-file.ts';
import { createReporter } from '../report/run-reporter.ts';

export interface RunOptions {
  readonly set: readonly string[];
  readonly dryRun: string | undefined;
  readonly failures: string | undefined;
  readonly maxFailures: string | undefined;
  readonly retry: string | undefined;
  readonly components: readonly string[];
}

/** Runs the config of a file in prepared threads. Returns the exit code. */
export async function runFile(threads: RunLauncher, file: string, options: RunOptions): Promise<number> {
  const { root, problems, name } = await loadConfig(file, settingsOf(options));
  writeProblems(problems, name);
  if (root === undefined || hasErrors(problems)) return EXIT.invalid;
  const mask = new SecretMask(root, false);
  const masked = (text: string) => mask.text(text);
  const retry = options.retry === undefined ? undefined : await readFailureFile(options.retry, options.failures);
  const registry = registrySource(file, options.components);

  const failures = options.failures === undefined ? undefined : new FailureFile(options.failures, masked);
  const runId = randomUUID();
  // The run continues while the modules for its report are loaded.
  const reporting = createReporter(runId, () => handle.progress());
  const log = (record: LogRecord) => void reporting.then((reporter) => reporter.log(record));
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
      onLog: (record) => log(mask.record(record)),
      ...(failures === undefined ? {} : { onFailures: (some) => failures.write(some) }),
    },
  );
  const summaryTo = options.dryRun === undefined ? besideDocuments(root, registry) : Promise.resolve(process.stdout);
  // If this fails, the error is reported at the end of the run. The handler prevents an unhandled rejection until then.
  summaryTo.catch(() => undefined);
  let stoppedBy: StopSignal | undefined;
  const stopListening = onStopSignal((signal) => {
    stoppedBy = signal;
    const message = `${signal}: the run ends after its open documents; a second signal ends it immediately`;
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
      writeSummary(`${masked(result.message)}\nRun took ${result.seconds.toFixed(2)} secs.`, await summaryTo, runId);
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

/** Writes the summary as text, or as JSON if a program reads standard error and the summary goes there. */
function writeSummary(text: string, to: NodeJS.WritableStream, runId: string): void {
  if (to === process.stderr && writesJson()) writeRecord({ level: 'info', runId, logger: 'runner', msg: text });
  else to.write(`${text}\n`);
}

/** Returns the values of the config that options set. */
function settingsOf({ set, maxFailures }: RunOptions): readonly string[] {
  return maxFailures === undefined ? set : [...set, `runner.maxFailures=${maxFailures}`];
}

/**
 * Returns the stream for the summary: standard error if documents go to standard output. For this check, only the
 * module of the indexer is loaded. The other modules belong to the threads of the run, and could keep this thread from
 * ending.
 */
async function besideDocuments(root: ObjectNode, source: RegistrySource): Promise<NodeJS.WritableStream> {
  const registry = await Registry.open({ ...source, modules: [] });
  return (await writesToStandardOutput(root, registry)) ? process.stderr : process.stdout;
}

/** Returns whether the run did not start because its config or its documents to retry are invalid. */
function isInvalid({ status, connectors, problems }: RunResult): boolean {
  const refused = problems.some(
    ({ severity, code }) => severity === 'error' && (code.startsWith('HR_CONFIG_') || code === 'HR_RETRY_INVALID'),
  );
  return status === 'FAILED' && connectors.length === 0 && refused;
}
