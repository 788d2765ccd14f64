import type { LogLevel, LogRecord } from '@headrace/engine';
import type { RunLogPiece } from '../store/store.ts';
import { MAX_LOG_BYTES, MAX_LOG_LINES } from './run-log.ts';

/** The maximum length of a message. */
const MAX_MESSAGE = 4096;
/** The maximum length of all fields of a line together. */
const MAX_FIELDS = 8192;

/** The levels that the log of a run contains. Debug messages of components are dropped. */
export const LOG_LEVELS = ['info', 'warn', 'error'] as const;

/** Filters the lines of a log. */
export interface LogQuery {
  /** Only lines of this level or a more severe one. */
  level?: (typeof LOG_LEVELS)[number] | undefined;
  /** Only lines after this line number. */
  after?: number | undefined;
  limit?: number | undefined;
}

interface Line {
  line: number;
  time: number;
  level: LogLevel;
}

/** Returns a record as a line of the log, without a line end. */
export function logLine(line: number, { time, level, logger, message, fields }: LogRecord): string {
  const short = message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`;
  const entry: Line & Record<string, unknown> = { line, time: time / 1000, level, logger, message: short };
  if (fields === undefined) return JSON.stringify(entry);
  const text = JSON.stringify({ ...entry, fields });
  // Truncated fields would not be valid JSON.
  return text.length <= MAX_FIELDS + short.length ? text : JSON.stringify({ ...entry, fields: 'too long' });
}

/** Returns the text of a log, or of the selected lines. If earlier lines were dropped, the first line reports this. */
export function logText(pieces: readonly RunLogPiece[], query: LogQuery): string {
  const { level, after = 0, limit } = query;
  const dropped = droppedLine(pieces, after);
  if (level === undefined && after === 0 && limit === undefined) {
    return dropped + pieces.map(({ text }) => text).join('');
  }
  const worst = level === undefined ? 0 : LOG_LEVELS.indexOf(level);
  const chosen: string[] = [];
  for (const { text } of pieces) {
    for (const line of text.split('\n')) {
      if (chosen.length === limit) return dropped + chosen.join('');
      if (line === '') continue;
      const { line: number, level: of } = JSON.parse(line) as Line;
      if (number > after && LOG_LEVELS.indexOf(of as (typeof LOG_LEVELS)[number]) >= worst) chosen.push(`${line}\n`);
    }
  }
  return dropped + chosen.join('');
}

function droppedLine([first]: readonly RunLogPiece[], after: number): string {
  if (first === undefined || first.firstLine - 1 <= after) return '';
  const dropped = first.firstLine - 1;
  const { time } = JSON.parse(first.text.slice(0, first.text.indexOf('\n'))) as Line;
  const kept = `the last ${MAX_LOG_LINES} lines are kept, at most ${MAX_LOG_BYTES / 1024} KiB, and limits.maxLogBytes of all runs`;
  const message = `${dropped} earlier lines were dropped: ${kept}`;
  return `${JSON.stringify({ line: dropped, time, level: 'warn', logger: 'log', message })}\n`;
}
