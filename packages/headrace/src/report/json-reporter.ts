import type { LogRecord } from '@headrace/engine';
import { destination, type Logger, pino } from 'pino';
import type { RunReporter } from './run-reporter.ts';

/**
 * Writes logs as JSON lines in the format of pino. It writes synchronously, so that a short run does not lose its last
 * lines.
 */
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
