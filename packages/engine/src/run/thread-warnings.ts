/**
 * Writes warnings of Node to the standard error of this thread, which the main thread passes on. Node itself writes them
 * to the file descriptor, past whoever formats what the process says.
 */
export function passOnWarnings(): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    process.stderr.write(`(node:${process.pid}) ${name}: ${message}\n`);
  });
}
