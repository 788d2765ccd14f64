export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The log of a component. Errors mean data loss or a problem that needs a person. A normal run logs little. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** One line of a log, as it travels from a thread to the process that writes it. */
export interface LogRecord {
  level: LogLevel;
  /** Milliseconds since the epoch. */
  time: number;
  /** The source of the record: a connector, a stage, `runner`. */
  logger: string;
  message: string;
  fields?: Record<string, unknown>;
  /**
   * Several threads of a run may report the same problem. Of the records with the same value here, the log gets only
   * the first.
   */
  once?: string;
}

/** For components that are only created for a check or a description. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A logger that passes each record to `write`. */
export function createLogger(name: string, write: (record: LogRecord) => void): Logger {
  const log = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) =>
    write({ level, time: Date.now(), logger: name, message, ...(fields === undefined ? {} : { fields }) });
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
