import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openOutputFile } from './output-file.ts';

function newPath(): string {
  const directory = mkdtempSync(join(tmpdir(), 'headrace-output-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'out');
}

describe.each([false, true])('a file for output (append: %s)', (append) => {
  it('has no gap and no half batch where a batch could not be written whole', async () => {
    const path = newPath();
    const output = await openOutputFile(path, append);
    await output.write([Buffer.from('one\n')]);
    // The second piece cannot be written when the first one has been.
    await expect(output.write([Buffer.from('half of '), { length: 1 } as never])).rejects.toThrow('Cannot write');
    await output.write([Buffer.from('two\n')]);
    await expect(output.write([Buffer.from('half of '), { length: 1 } as never])).rejects.toThrow('Cannot write');
    await output.close(true);
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  });
});
