import type { LogRecord, RunProgress } from '@headrace/engine/reading';
import { JsonReporter } from './json-reporter.ts';

/** Reports the progress of a run on standard error. */
export interface RunReporter {
  log(record: LogRecord): void;
  /** Ends the report after the run. All output is written when this returns. */
  close(): void;
}

/** Returns a reporter: a progress line for a person at a terminal, or JSON logs for a program. */
export async function createReporter(runId: string, progress: () => RunProgress): Promise<RunReporter> {
  if (process.stderr.isTTY) {
    const { TerminalReporter } = await import('./terminal-reporter.ts');
    return new TerminalReporter(process.stderr, progress);
  }
  return new JsonReporter(runId);
}
