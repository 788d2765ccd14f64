import { createLogger, type Logger } from '../component/logger.ts';
import type { PreviewLogLine } from './run-request.ts';

/** Lines that are shown with one document. */
const MAX_LINES = 100;
/** Characters of a message. */
const MAX_MESSAGE = 2000;
/** Characters of all lines of a preview. */
const MAX_CHARACTERS = 2 ** 20;

/** What stages say in a preview, to be shown with the document that they were at. Bounded: a script may say anything. */
export class PreviewLog {
  #lines: PreviewLogLine[] = [];
  #leftOut = 0;
  #charactersLeft = MAX_CHARACTERS;

  logger(stage: string): Logger {
    return createLogger(stage, ({ level, message }) => {
      const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
      if (this.#lines.length >= MAX_LINES || shown.length > this.#charactersLeft) {
        this.#leftOut++;
        return;
      }
      this.#charactersLeft -= shown.length;
      this.#lines.push({ level, stage, message: shown });
    });
  }

  /** What was said since this was asked last; the last line tells when there was more. */
  take(): PreviewLogLine[] {
    const lines = this.#lines;
    const leftOut = this.#leftOut;
    if (leftOut > 0) lines.push({ level: 'warn', stage: '', message: `Lines that are not shown: ${leftOut}` });
    this.#lines = [];
    this.#leftOut = 0;
    return lines;
  }
}
