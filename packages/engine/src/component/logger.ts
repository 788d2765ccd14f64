export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** The log of a component. Errors mean data loss, or a problem that a person must solve. A normal run logs little. */
export interface Logger {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

/** One log record, as a thread sends it to the process that writes the log. */
export interface LogRecord {
  level: LogLevel;
  /** The time, in milliseconds since the epoch. */
  time: number;
  /** The source of the record: a connector, a stage, `runner`. */
  logger: string;
  message: string;
  fields?: Record<string, unknown>;
  /** A key for records that several threads report. The log only contains the first record with each key. */
  once?: string;
}

/** A logger that discards all records, for components that are created only for a check or a description. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a logger that passes each record to `write`. */
export function createLogger(name: string, write: (record: LogRecord) => void): Logger {
  const log = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) =>
    write({ level, time: Date.now(), logger: name, message, ...(fields === undefined ? {} : { fields }) });
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
