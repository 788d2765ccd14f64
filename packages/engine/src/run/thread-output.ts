import { escapeControls } from '../errors/plain-text.ts';

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
 * Escapes control characters, except line breaks and tabs, in texts that libraries and components print in this thread.
 * Libraries print values of documents, for example in warnings about a damaged file.
 */
export function printOnlyText(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: Uint8Array | string, ...rest: unknown[]) => boolean;
    stream.write = (chunk: Uint8Array | string, ...rest: unknown[]) =>
      write(typeof chunk === 'string' ? chunk.replace(/[^\n\t]+/g, escapeControls) : chunk, ...rest);
  }
}
