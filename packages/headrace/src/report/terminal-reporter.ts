import type { WriteStream } from 'node:tty';
import { escapeControls } from '@headrace/engine/plain-text';
import { type LogRecord, pendingDocuments, type RunProgress } from '@headrace/engine/reading';
import type { RunReporter } from './run-reporter.ts';

const REDRAW_MILLIS = 200;
/** The assumed width of a terminal that does not report its width. */
const USUAL_COLUMNS = 80;
const ERASE_LINE = '\r\u001b[K';

/** Prints one line with the progress of the run, and warnings and errors above it. */
export class TerminalReporter implements RunReporter {
  readonly #terminal: WriteStream;
  readonly #progress: () => RunProgress;
  readonly #started = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: WriteStream, progress: () => RunProgress) {
    this.#terminal = terminal;
    this.#progress = progress;
    this.#timer = setInterval(() => this.#draw(), REDRAW_MILLIS);
  }

  log({ level, logger, message, fields }: LogRecord): void {
    if (level !== 'warn' && level !== 'error') return;
    const reason = fields?.['reason'];
    const why = typeof reason === 'string' ? `: ${reason}` : '';
    this.#terminal.write(`${ERASE_LINE}${escapeControls(`${level}: ${logger}: ${message}${why}`)}\n`);
    this.#draw();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#terminal.write(ERASE_LINE);
  }

  #draw(): void {
    const seconds = (performance.now() - this.#started) / 1000;
    const line = escapeControls(progressLine(this.#progress(), seconds));
    // A longer line would wrap and could not be erased.
    this.#terminal.write(ERASE_LINE + line.slice(0, (this.#terminal.columns || USUAL_COLUMNS) - 1));
  }
}

/** Returns the progress line, such as `airports: 3,376 published, 3,200 succeeded, 176 pending, 1,688 docs/s, 2 s`. */
export function progressLine({ counts, connectors }: RunProgress, seconds: number): string {
  const running = connectors.find((connector) => connector.status === 'running');
  const number = (value: number) => Math.round(value).toLocaleString('en-US');
  const parts = [`${number(counts.published)} published`];
  if (counts.created > 0) parts.push(`${number(counts.created)} created`);
  parts.push(`${number(counts.succeeded)} succeeded`);
  if (counts.failed > 0) parts.push(`${number(counts.failed)} failed`);
  if (counts.dropped > 0) parts.push(`${number(counts.dropped)} dropped`);
  parts.push(`${number(pendingDocuments(counts))} pending`);
  const ended = counts.succeeded + counts.failed + counts.dropped;
  parts.push(`${number(seconds > 0 ? ended / seconds : 0)} docs/s`, `${number(seconds)} s`);
  return `${running?.name ?? 'run'}: ${parts.join(', ')}`;
}
