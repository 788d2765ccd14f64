import { fstatSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { escapeControls } from '../errors/plain-text.ts';

/** No line of a log or of a command begins with white space, so no foreign line can look like one. */
const INDENT = '    ';

/**
 * Writes warnings of Node to the standard error of this thread, which the main thread forwards. By default, Node writes
 * them directly to the file descriptor, and they would bypass the log formatter of the process.
 */
export function passOnWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    process.stderr.write(`${escapeControls(`(node:${process.pid}) ${name}: ${message}`)}\n`);
  });
}

/**
 * Makes what libraries and components print in this thread harmless text, because they print values of documents, for
 * example in warnings about a damaged file. Where the log may be too, on standard error and on a terminal, their lines
 * are indented. Bytes that go to a file or to another program are data, and stay as they are.
 */
export function printOnlyText(): void {
  for (const [stream, isWithLog] of [
    [process.stderr, true],
    [process.stdout, mayBeTerminal(1)],
  ] as const) {
    const write = stream.write.bind(stream) as (chunk: Uint8Array | string, ...rest: unknown[]) => boolean;
    const decoder = new StringDecoder('utf8');
    stream.write = (chunk: Uint8Array | string, encoding?: unknown, done?: unknown) => {
      const callback = typeof encoding === 'function' ? encoding : done;
      if (!isWithLog && typeof chunk !== 'string') return write(chunk, callback);
      const text = textOf(chunk, encoding, decoder);
      return write(isWithLog ? indented(text) : escaped(text), callback);
    };
  }
}

function textOf(chunk: Uint8Array | string, encoding: unknown, decoder: StringDecoder): string {
  if (typeof chunk !== 'string') return decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  // A text in hexadecimal, for example, is bytes.
  const isText = typeof encoding !== 'string' || /^(utf|ucs)/i.test(encoding);
  return isText ? chunk : decoder.write(Buffer.from(chunk, encoding as BufferEncoding));
}

/** Returns whether a descriptor is a terminal, or another device. The module `node:tty` would load that for sockets. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    // The descriptor is closed.
    return false;
  }
}

/** Escapes control characters, except line breaks and tabs. */
function escaped(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeControls);
}

/**
 * Returns whole lines that are indented. A part of a line becomes a line, because the log may continue after it, and the
 * rest would then begin a line. A line of a pipeline thread, which passes the thread of the run, is indented already.
 */
function indented(text: string): string {
  const lines = escaped(text).replace(/\n$/, '').split('\n');
  return text === '' ? '' : lines.map((line) => `${line.startsWith(INDENT) ? '' : INDENT}${line}\n`).join('');
}
