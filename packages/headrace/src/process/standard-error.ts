import { escapeControls } from '@headrace/engine/plain-text';
import { EXIT } from './exit-code.ts';
import { writeLines } from './output.ts';

/** A line of JSON on standard error, in the format of the logs. */
interface JsonRecord {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly logger: string;
  readonly msg: string;
  readonly runId?: string;
  readonly [field: string]: unknown;
}

let asJson = false;
/** Writes a line that needs no check. */
let writeLine = (line: string) => process.stderr.write(line);

/** Returns whether each line on standard error is a JSON object, because a program reads it. */
export function writesJson(): boolean {
  return asJson;
}

/**
 * Makes each line on standard error a JSON object from now on, from any writer in any thread: warnings of Node,
 * messages of the command-line parser, or `console.error` of a library or a custom component.
 */
export function writeOnlyJson(): void {
  asJson = true;
  const write = process.stderr.write.bind(process.stderr);
  writeLine = write;
  let rest = '';
  const writeLines = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    return lines.every((line) => line.trim() === '' || write(isJsonObject(line) ? `${line}\n` : textRecord(line)));
  };
  process.stderr.write = (chunk: Uint8Array | string, encoding?: unknown, done?: unknown) => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    const written = writeLines(text);
    const callback = typeof encoding === 'function' ? encoding : done;
    if (typeof callback === 'function') process.nextTick(callback as () => void);
    return written;
  };
  process.on('exit', () => rest === '' || writeLines('\n'));
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) =>
    writeRecord({ level: 'warn', logger: 'node', msg: `${name}: ${message}` }),
  );
  process.on('uncaughtException', (error) => {
    writeRecord({ level: 'error', logger: 'headrace', msg: error instanceof Error ? `${error.stack}` : String(error) });
    process.exit(EXIT.failed);
  });
}

/** Writes a message of the command itself to standard error, in one line. */
export function sayError(message: string): void {
  if (asJson) writeRecord({ level: 'error', logger: 'headrace', msg: message });
  else writeLines('stderr', [`headrace: ${message}`]);
}

/** Writes a record with the current time. Use it only if a program reads standard error. */
export function writeRecord({ level, runId, logger, msg, ...fields }: JsonRecord): void {
  // JSON omits an undefined member.
  writeLine(jsonLine({ level, runId, time: Date.now(), logger, ...fields, msg }));
}

function textRecord(line: string): string {
  return jsonLine({ level: 'warn', time: Date.now(), logger: 'stderr', msg: line.trim() });
}

/** `JSON.stringify` escapes the control characters of ASCII, but not all to which a terminal reacts. */
function jsonLine(record: object): string {
  return `${escapeControls(JSON.stringify(record))}\n`;
}

function isJsonObject(line: string): boolean {
  if (!line.startsWith('{')) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
