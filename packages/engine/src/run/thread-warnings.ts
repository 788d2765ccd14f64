/**
 * Writes warnings of Node to the standard error of this thread, which the main thread forwards. Node itself writes them
 * directly to the file descriptor, so the formatter of the process would not see them.
 */
export function passOnWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    process.stderr.write(`(node:${process.pid}) ${name}: ${message}\n`);
  });
}
