import { escapeControls } from '@headrace/engine/plain-text';
import type { LogSettings } from '@headrace/service';
import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** Creates the log of the service on standard error: JSON lines for programs, plain lines for people. */
export function createServiceLog({ level, format }: Pick<LogSettings, 'level' | 'format'>): Logger {
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const plain = format === 'pretty' || (format === 'auto' && process.stderr.isTTY);
  if (plain) return pino(options, plainLines(process.stderr));
  const json = destination({ fd: 2, sync: true });
  // The service continues without its log when its terminal closes, until it is shut down.
  json.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO' || !process.stderr.isTTY) throw error;
  });
  return pino(options, jsonLines(json));
}

/** Returns a stream for lines of JSON. Pino escapes the control characters of ASCII, but not all for terminals. */
function jsonLines(to: DestinationStream): DestinationStream {
  return { write: (line) => to.write(`${escapeControls(line.trimEnd())}\n`) };
}

interface PlainRecord {
  time: string;
  level: string;
  msg: string;
  requestId?: string;
  runId?: string;
  err?: { stack?: string };
}

/** The ids of the request and the run, which plain lines contain so that people can search for them. */
const IDS = ['requestId', 'runId'] as const;

/** Returns a stream that writes plain lines: time, level and message of each record, its ids, and its error. */
function plainLines(terminal: NodeJS.WritableStream): DestinationStream {
  return {
    write(line) {
      const record = JSON.parse(line) as PlainRecord;
      const { time, level, msg, err } = record;
      const ids = IDS.flatMap((name) => (record[name] === undefined ? [] : ` ${name}=${record[name]}`));
      // The lines of a stack are indented, because its message may contain line breaks.
      const stack = err?.stack?.split('\n').map((line) => `    ${line.trimStart()}`) ?? [];
      const lines = [`${time.slice(11, 19)} ${level}: ${msg}${ids.join('')}`, ...stack];
      terminal.write(`${lines.map(escapeControls).join('\n')}\n`);
    },
  };
}
