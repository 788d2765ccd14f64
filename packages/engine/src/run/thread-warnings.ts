/**
 * Writes warnings of Node to the standard error of this thread, which the main thread forwards. By default, Node writes
 * them directly to the file descriptor, and they would bypass the log formatter of the process.
 */
export function passOnWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    process.stderr.write(`(node:${process.pid}) ${name}: ${message}\n`);
  });
}
