import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const FILES = 3000;
const folder = mkdtempSync(join(tmpdir(), 'headrace-incremental-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A run in a process of its own, which can be killed. */
const SCRIPT = `
  import { catalogUrl } from '@headrace/components';
  import { RunThreads, readConfigText } from '@headrace/engine';
  const threads = new RunThreads({ heapMb: 256, keepWarm: false });
  const { root } = readConfigText(process.argv[1]);
  const registry = { catalogs: [catalogUrl], modules: ['./fixture-components.ts'], base: process.argv[2], allowModules: true };
  const { status, message } = await threads.start({ runId: 'r', root, registry }, {}).done;
  if (status !== 'SUCCEEDED') throw new Error(message);
  await threads.close();
`;

function start(out: string): ChildProcess {
  const config = `
    connectors: [{
      class: FileConnector, name: c, pipeline: p, paths: ["${folder}/in"]
      fileHandlers { csv { idField: k } }
      filterOptions { publishMode: incremental }
      state { connectionString: "jdbc:sqlite:${folder}/state.db" }
    }]
    pipelines: [{ name: p, stages: [] }]
    indexer { class: BatchFileIndexer, batchSize: 50 }
    batchfile { path: "${out}", millis: 25 }
  `;
  const base = new URL('.', import.meta.url).href;
  return spawn(process.execPath, ['-e', SCRIPT, config, base], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** The ids in what was indexed. */
function indexed(out: string): string[] {
  return existsSync(out) ? readFileSync(out, 'utf8').split(/\s+/).filter(Boolean) : [];
}

it('of files that is killed again and again misses nothing, and repeats little', { timeout: 180_000 }, async () => {
  mkdirSync(join(folder, 'in'));
  for (let i = 0; i < FILES; i++) {
    const path = join(folder, 'in', `${i}.${i % 3 === 0 ? 'csv' : 'txt'}`);
    writeFileSync(path, i % 3 === 0 ? `k\nrow-${i}\n` : `text ${i}`);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }
  const outs: string[] = [];
  for (let round = 0; round < 4; round++) {
    const out = join(folder, `out-${round}`);
    outs.push(out);
    const child = start(out);
    // At different moments, the last one left to its end.
    const enough = round === 3 ? Number.POSITIVE_INFINITY : 200 + round * 450;
    while (child.exitCode === null && indexed(out).length < enough) await setTimeout(20);
    if (round < 3) child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect([child.exitCode, child.signalCode]).toEqual(round < 3 ? [null, 'SIGKILL'] : [0, null]);
  }
  const all = outs.flatMap(indexed);
  expect(new Set(all).size).toBe(FILES);
  // What was indexed and not yet noted when the process died: about a group each time.
  expect(all.length - FILES).toBeLessThan(3 * 700);
  expect(indexed(outs[3] as string).length).toBeLessThan(FILES - 500);

  const last = join(folder, 'out-last');
  const [code] = await once(start(last), 'exit');
  expect([code, indexed(last)]).toEqual([0, []]);
});
