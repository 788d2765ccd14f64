import { createLogger, type Logger } from '../component/logger.ts';
import type { PreviewLogLine } from './run-request.ts';

/** The maximum number of log lines per document. */
const MAX_LINES = 100;
/** The maximum number of characters of a message. */
const MAX_MESSAGE = 2000;
/** The maximum number of characters of all lines of a preview. */
const MAX_CHARACTERS = 2 ** 20;

/**
 * The log lines of stages in a preview. They are shown with the document that was processed at the time. Their size is
 * limited, because a script can log endlessly.
 */
export class PreviewLog {
  #lines: PreviewLogLine[] = [];
  #omitted = 0;
  #charactersLeft = MAX_CHARACTERS;

  logger(stage: string): Logger {
    return createLogger(stage, ({ level, message }) => {
      const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
      if (this.#lines.length >= MAX_LINES || shown.length > this.#charactersLeft) {
        this.#omitted++;
        return;
      }
      this.#charactersLeft -= shown.length;
      this.#lines.push({ level, stage, message: shown });
    });
  }

  /** Returns the lines since the last call. The last line says if lines were omitted. */
  take(): PreviewLogLine[] {
    const lines = this.#lines;
    const omitted = this.#omitted;
    if (omitted > 0) lines.push({ level: 'warn', stage: '', message: `Lines not shown: ${omitted}` });
    this.#lines = [];
    this.#omitted = 0;
    return lines;
  }
}
