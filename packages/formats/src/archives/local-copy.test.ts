import { once } from 'node:events';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { zipOf } from '@headrace/testing/archives';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withLocalCopy } from './local-copy.ts';
import { zipEntries } from './zip-reader.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headrace-copies-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function* pieces(...given: Uint8Array[]) {
  yield* given;
}

/** Returns the files in the folder that this process has open, including deleted ones. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((number) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${number}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // This entry was the handle that read the directory itself.
      return [];
    }
  });
}

async function drain(entries: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of entries);
}

describe('a local copy', () => {
  it('a local copy contains all bytes of its source, and has no name in the folder', async () => {
    const bytes = zipOf([
      { name: 'a', content: 'alpha' },
      { name: 'b', content: 'beta' },
    ]);
    const found: string[] = [];
    for await (const { name } of withLocalCopy(pieces(bytes.subarray(0, 7), bytes.subarray(7)), zipEntries)) {
      found.push(name);
      expect(readdirSync(folder)).toEqual([]);
    }
    expect(found).toEqual(['a', 'b']);
  });

  it.runIf(process.platform === 'linux')('is removed when its thread ends, even by a crash', async () => {
    const script = `
      const { parentPort, workerData } = require('node:worker_threads');
      const endless = async function* () { yield Buffer.from('x'); parentPort.postMessage('copying'); for (;;) yield Buffer.alloc(1000) };
      import(workerData).then(({ withLocalCopy }) => withLocalCopy(endless(), () => endless(), 1e9).next());
    `;
    const url = new URL('./local-copy.ts', import.meta.url).href;
    const thread = new Worker(script, { eval: true, workerData: url, env: { ...process.env, TMPDIR: folder } });
    await once(thread, 'message');
    expect(openFiles()).toHaveLength(1);
    await thread.terminate();
    expect(openFiles()).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('local copies are limited in total size', async () => {
    const source = () => pieces(Buffer.alloc(600), Buffer.alloc(300));
    const another = () => withLocalCopy(source(), async function* () {}, 1000);
    const nested = withLocalCopy(
      source(),
      async function* () {
        yield drain(another());
      },
      1000,
    );
    await expect(drain(nested)).rejects.toThrow(/temporary copy, and all copies of a run are limited to .* GiB/);
    await drain(another());
    await drain(another());
  });

  it('a local copy reports the folder in which it cannot be written', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'missing'));
    await expect(drain(withLocalCopy(pieces(), zipEntries))).rejects.toThrow(
      `its temporary copy cannot be written in ${join(folder, 'missing')}: ENOENT`,
    );
  });
});
