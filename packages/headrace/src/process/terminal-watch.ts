import { closeSync, openSync } from 'node:fs';

/**
 * Returns a function that returns true if the process had a terminal and the terminal has closed. SIGHUP means that, or
 * is a request of an operator; the signal itself does not say which.
 */
export function terminalWatch(): () => boolean {
  const hadTerminal = hasTerminal();
  return () => hadTerminal && !hasTerminal();
}

/** Returns whether the process has a terminal that is open. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    // ENXIO without a terminal, EIO after it has closed, ENOENT on other systems.
    return false;
  }
}
