import type { LogRecord } from '@headrace/engine/reading';
import { writeRecord } from '../process/standard-error.ts';
import type { RunReporter } from './run-reporter.ts';

/** Logs as JSON lines, in the form of the logs of the service. They are written immediately. */
export class JsonReporter implements RunReporter {
  readonly #runId: string;

  constructor(runId: string) {
    this.#runId = runId;
  }

  log({ level, time, logger, message, fields }: LogRecord): void {
    // Uses the format of the service log.
    if (level === 'debug') return;
    writeRecord({ level, runId: this.#runId, time, logger, ...fields, msg: message });
  }

  close(): void {}
}
