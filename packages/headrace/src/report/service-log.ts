import { type DestinationStream, destination, type Logger, pino } from 'pino';

/** The log of the service on standard error: JSON lines for a program, plain lines for a person. */
export function createServiceLog(): Logger {
  const options = {
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, process.stderr.isTTY ? plainLines(process.stderr) : destination({ fd: 2, sync: true }));
}

/** Time, level and message of each record, and the error when there is one. */
function plainLines(terminal: NodeJS.WritableStream): DestinationStream {
  return {
    write(line) {
      const { time, level, msg, err } = JSON.parse(line) as {
        time: string;
        level: string;
        msg: string;
        err?: { stack?: string };
      };
      const error = err?.stack === undefined ? '' : `\n${err.stack}`;
      terminal.write(`${time.slice(11, 19)} ${level}: ${msg}${error}\n`);
    },
  };
}
