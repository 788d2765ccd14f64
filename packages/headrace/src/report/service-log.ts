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
  return pino(options, plain ? plainLines(process.stderr) : destination({ fd: 2, sync: true }));
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
      const error = err?.stack === undefined ? '' : `\n${err.stack}`;
      terminal.write(`${time.slice(11, 19)} ${level}: ${msg}${ids.join('')}${error}\n`);
    },
  };
}
