import type { LogRecord } from '@headrace/engine';
import { destination, type Logger, pino } from 'pino';
import type { RunReporter } from './run-reporter.ts';

/** Logs as JSON lines, in pino's form. Written at once: the last lines of a short run are not lost. */
export class JsonReporter implements RunReporter {
  readonly #pino: Logger;

  constructor(runId: string) {
    const options = { base: { runId }, timestamp: false, formatters: { level: (label: string) => ({ level: label }) } };
    this.#pino = pino(options, destination({ fd: 2, sync: true }));
  }

  log({ level, time, logger, message, fields }: LogRecord): void {
    this.#pino[level]({ time, logger, ...fields }, message);
  }

  close(): void {
    this.#pino.flush();
  }
}
