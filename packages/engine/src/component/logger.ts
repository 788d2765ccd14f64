export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a component says while it works. Errors mean loss or that a person is needed; a normal run is quiet. */
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
  /** Who says it: a connector, a stage, `runner`. */
  logger: string;
  message: string;
  fields?: Record<string, unknown>;
  /** Several threads of a run may find the same: of records with the same text here its log gets the first. */
  once?: string;
}

/** For components that are only made to be checked, or to be shown. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A logger that hands each record to `write`. */
export function createLogger(name: string, write: (record: LogRecord) => void): Logger {
  const log = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) =>
    write({ level, time: Date.now(), logger: name, message, ...(fields === undefined ? {} : { fields }) });
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}
