import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { RunHarness } from './run-harness.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts a run in a separate process, which the test can kill. */
const SCRIPT = `
  import { catalogUrl } from '@headrace/components';
  import { readConfigText } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false });
  const { root } = readConfigText(process.argv[1]);
  const registry = { catalogs: [catalogUrl], modules: ['./fixture-components.ts'], base: process.argv[2], allowModules: true };
  const { status, message } = await threads.start({ runId: 'r', root, registry }, {}).done;
  if (status !== 'SUCCEEDED') throw new Error(message);
  await threads.close();
`;

function start(folder: string, out: string, options: string): ChildProcess {
  const config = `
    connectors: [{
      class: FileConnector, name: c, pipeline: p, paths: ["${folder}/in"]
      fileHandlers { csv { idField: k } }
      filterOptions { publishMode: incremental }
      state { connectionString: "jdbc:sqlite:${folder}/state.db" }
      fileOptions { ${options} }
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

/** Returns the ids of the indexed documents. */
function indexed(out: string): string[] {
  return existsSync(out) ? readFileSync(out, 'utf8').split(/\s+/).filter(Boolean) : [];
}

/** Creates a folder with these files in its folder `in`, with old modification times. */
function folderWith(files: Iterable<readonly [name: string, content: string | Uint8Array]>): string {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-incremental-'));
  folders.push(folder);
  mkdirSync(join(folder, 'in'));
  for (const [name, content] of files) {
    const path = join(folder, 'in', name);
    writeFileSync(path, content);
    utimesSync(path, 1_700_000_000, 1_700_000_000);
  }
  return folder;
}

/** Returns a compressed archive of a hundred documents: files, records, and records compressed again. */
function archiveOf(i: number): [name: string, content: Uint8Array] {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-archive-'));
  folders.push(folder);
  const rows = (from: number) => `k\n${Array.from({ length: 38 }, (_, j) => `row-${i}-${from + j}`).join('\n')}\n`;
  for (let j = 0; j < 24; j++) writeFileSync(join(folder, `${j}.txt`), `${i} ${j}`);
  writeFileSync(join(folder, 'a.csv'), rows(0));
  writeFileSync(join(folder, 'b.csv.gz'), gzipSync(rows(38)));
  return [`${i}.tar.gz`, gzipSync(execFileSync('tar', ['-C', folder, '-cf', '-', ...readdirSync(folder)]))];
}

/** How many documents are indexed but not recorded when a process dies: about one group each time. */
const REPEATED = 700;
const KILLS = 2;

/** Runs over a folder until a run finishes, and kills the runs before it. Returns the ids of all runs. */
async function runWithKills(folder: string, documents: number, options: string): Promise<string[][]> {
  const outs: string[] = [];
  for (let round = 0; round <= KILLS; round++) {
    const out = join(folder, `out-${round}`);
    outs.push(out);
    const child = start(folder, out, options);
    // The runs are killed at different moments. The last one is not killed.
    const enough = round === KILLS ? Number.POSITIVE_INFINITY : (documents * (3 + round * 10)) / 30;
    while (child.exitCode === null && indexed(out).length < enough) await setTimeout(20);
    if (round < KILLS) child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    expect([child.exitCode, child.signalCode]).toEqual(round < KILLS ? [null, 'SIGKILL'] : [0, null]);
  }
  return outs.map(indexed);
}

describe('an incremental run that is killed repeatedly', { timeout: 300_000 }, () => {
  it.each<[what: string, options: string, documents: number, files: () => [string, string | Uint8Array][]]>([
    [
      'over files',
      '',
      3000,
      () =>
        Array.from({ length: 3000 }, (_, i) =>
          i % 3 === 0 ? [`${i}.csv`, `k\nrow-${i}\n`] : [`${i}.txt`, `text ${i}`],
        ),
    ],
    [
      'over files of many records',
      '',
      3000,
      () =>
        Array.from({ length: 600 }, (_, i) => [
          `${i}.csv`,
          `k\n${[0, 1, 2, 3, 4].map((j) => `row-${i}-${j}\n`).join('')}`,
        ]),
    ],
    [
      'over archives',
      'handleArchivedFiles: true, handleCompressedFiles: true, maxArchiveDepth: 2',
      3000,
      () => Array.from({ length: 30 }, (_, i) => archiveOf(i)),
    ],
  ])('%s misses no document, and repeats few', async (_, options, documents, files) => {
    const folder = folderWith(files());
    const rounds = await runWithKills(folder, documents, options);
    const all = rounds.flat();
    expect(new Set(all).size).toBe(documents);
    expect(all.length - documents).toBeLessThan(KILLS * REPEATED);
    expect(rounds.at(-1)?.length).toBeLessThan(documents - 500);

    const last = join(folder, 'out-last');
    const [code] = await once(start(folder, last, options), 'exit');
    expect([code, indexed(last)]).toEqual([0, []]);
  });

  it('moves no file before its documents are indexed, and loses none, if moveToAfterProcessing is set', async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `${i}.csv`);
    const folder = folderWith(names.map((name, i) => [name, `k\nrow-${i}\n`]));
    const done = join(folder, 'done');
    const rounds = await runWithKills(folder, names.length, `moveToAfterProcessing: "${done}"`);
    const all = rounds.flat();
    expect(new Set(all).size).toBe(names.length);
    expect(all.length - names.length).toBeLessThan(KILLS * REPEATED);
    expect(readdirSync(join(folder, 'in'))).toEqual([]);
    expect(readdirSync(done).sort()).toEqual(names.sort());
  });
});

describe('a destination that accepts nothing', () => {
  const harness = new RunHarness();
  afterAll(() => harness.close());

  it.each([
    ['is away (503)', 503, 'ndjson'],
    ['rejects the password (401)', 401, 'ndjson'],
    ['rejects the password (401) for each single document', 401, 'single'],
  ])('leaves the files of rejected documents for the next run if it %s', async (_, status, form) => {
    const folder = folderWith(Array.from({ length: 300 }, (_, i) => [`${i}.txt`, `text ${i}`] as const));
    /** The number of requests that the destination accepts before it rejects all. */
    let takes = 0;
    const taken = new Set<string>();
    const server = createServer(async (request, response) => {
      const text = (await request.toArray()).join('');
      response.statusCode = takes-- > 0 || request.method === 'HEAD' ? 200 : status;
      if (response.statusCode === 200) for (const [, id = ''] of text.matchAll(/"file_path":"([^"]+)"/g)) taken.add(id);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const config = `
      connectors: [{
        class: FileConnector, name: c, pipeline: p, paths: ["${folder}/in"]
        filterOptions { publishMode: incremental }, state { connectionString: "jdbc:sqlite:${folder}/state.db" }
      }]
      pipelines: [{ name: p, stages: [] }]
      indexer { type: HTTP, batchSize: 20, maxRetries: 1, retryWaitDurationMs: 1 }
      http { form: ${form}, url: "http://127.0.0.1:${(server.address() as AddressInfo).port}/" }`;
    const first = await harness.run(config);
    expect(first.counts).toMatchObject({ published: 300, succeeded: 0, failed: 300 });
    expect(first.message).toContain('files are left for the next run: documents could not be delivered');
    takes = 4;
    const second = await harness.run(config);
    expect(second.counts.published).toBe(300);
    expect(second.counts.succeeded).toBe(taken.size);
    expect(taken.size).toBeGreaterThan(0);
    expect(taken.size).toBeLessThan(300);
    takes = Number.POSITIVE_INFINITY;
    const third = await harness.run(config);
    expect(third.message).not.toContain('left for the next run');
    expect(third.counts.failed).toBe(0);
    expect(taken.size).toBe(300);
    expect((await harness.run(config)).counts.published).toBe(0);
    server.close();
  });

  it('does not move a CSV file', async () => {
    const folder = folderWith([['a.csv', 'k\n1\n2\n']]);
    const server = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const result = await harness.run(`
      connectors: [{
        class: CSVConnector, name: c, pipeline: p, path: "${folder}/in/a.csv", moveToAfterProcessing: "${folder}/done"
      }]
      pipelines: [{ name: p, stages: [] }]
      indexer { type: HTTP, maxRetries: 1, retryWaitDurationMs: 1 }
      http { url: "http://127.0.0.1:${(server.address() as AddressInfo).port}/" }`);
    expect(result.counts.failed).toBe(2);
    expect(result.message).toContain('a.csv was not moved: documents could not be delivered');
    expect(existsSync(join(folder, 'in', 'a.csv'))).toBe(true);
    server.close();
  });
});
