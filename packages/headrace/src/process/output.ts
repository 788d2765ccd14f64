import { escapeControls } from '@headrace/engine/plain-text';

/**
 * Writes lines of text or JSON. Every line that a command prints is written here or by a file that
 * tests/house/plain-text.test.ts names.
 *
 * @param lines each becomes one line, whose control characters are escaped. Foreign names and values must not be split
 *   into lines before
 */
export function writeLines(to: 'stdout' | 'stderr', lines: readonly string[]): void {
  if (lines.length > 0) process[to].write(`${lines.map(escapeControls).join('\n')}\n`);
}
