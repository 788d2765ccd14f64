import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunHandle, RunResult } from '@headrace/engine';
import { type Fields, versioned } from './rebuild-runs.ts';

/** A run in a separate process, which can be killed. */
const SCRIPT = `
  import { catalogUrl } from '@headrace/components';
  import { readConfigText } from '@headrace/engine';
  import { RunLauncher } from '@headrace/engine/threads';
  const threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
  const { root } = readConfigText(process.argv[1]);
  const registry = { catalogs: [catalogUrl], modules: [], base: 'file:///', allowModules: false };
  await threads.start({ runId: 'killed', root, registry }, {}).done;
  await threads.close();
`;
const BLOCK = 'rebuild { keep: 0 }';

/** Rebuilds of one alias, and what is seen of it. */
export interface KilledRuns {
  config(documents: readonly Fields[], block: string): string;
  start(config: string): RunHandle;
  run(documents: readonly Fields[], block: string): Promise<RunResult>;
  /** Returns the number of documents that a search through the alias finds; undefined if there is no alias. */
  count(query?: string): Promise<number | undefined>;
  /** Returns what the alias points to. */
  targets(): Promise<string[]>;
  /** Returns what rebuilds have made with its states, the oldest first. */
  states(): Promise<[string, string | undefined][]>;
  /** Returns how many documents the new index has received; less than 0 if there is none yet. */
  writtenTo(before: ReadonlySet<string>): Promise<number>;
}

/** The results of kills. */
export interface KillReport {
  /** The kills after which the alias pointed to the previous index. */
  readonly unmoved: number;
  /** The kills after which the alias pointed to the new index. */
  readonly moved: number;
}

/**
 * Kills rebuilds at random moments. After each kill, the alias must point to one complete index, and the next rebuild
 * must remove what was left. Throws if that is not so.
 */
export async function killRebuilds(runs: KilledRuns, kills: number, documents: number): Promise<KillReport> {
  let live = await rebuild(runs, documents, 0);
  let moved = 0;
  for (let version = 1; version <= kills; version++) {
    await killOne(runs, documents, version);
    const [old, current, all] = [
      await runs.count(`version:${live}`),
      await runs.count(`version:${version}`),
      await runs.count(),
    ];
    const targets = await runs.targets();
    if (all !== documents || (old !== documents && current !== documents) || targets.length !== 1) {
      throw new Error(`Kill ${version}: the alias has ${old} old and ${current} new of ${all} documents in ${targets}`);
    }
    if (current === documents) {
      moved++;
      live = version;
      continue;
    }
    live = await rebuild(runs, documents, version);
    const states = await runs.states();
    if (states.length !== 1) throw new Error(`Kill ${version}: the next rebuild left ${JSON.stringify(states)}`);
  }
  return { unmoved: kills - moved, moved };
}

/** A search engine that can be killed. */
export interface KillableEngine {
  /** Kills the process of the search engine without any warning, and waits for its end. */
  kill(): Promise<void>;
  /** Starts it again with its data, at the same address. */
  start(): Promise<void>;
}

/**
 * Kills the search engine at random moments of rebuilds, and starts it again. After each rebuild, the alias must point to
 * one complete index: the new one if the run succeeded, otherwise the old one. Throws if that is not so.
 */
export async function killEngines(
  runs: KilledRuns,
  engine: KillableEngine,
  kills: number,
  documents: number,
): Promise<KillReport> {
  let live = await rebuild(runs, documents, 0);
  let moved = 0;
  for (let version = 1; version <= kills; version++) {
    const before = new Set((await runs.states()).map(([name]) => name));
    const run = runs.start(runs.config(versioned(documents, version), BLOCK));
    const enough = Math.min(documents, Math.random() * 1.2 * documents);
    let isDone = false;
    void run.done.then(() => {
      isDone = true;
    });
    while (!isDone && (await runs.writtenTo(before)) < enough) await sleep(2);
    if (enough === documents) await sleep(Math.random() * 300);
    await engine.kill();
    await engine.start();
    const { status, message } = await run.done;
    const expected = status === 'SUCCEEDED' ? version : live;
    if (status === 'SUCCEEDED') moved++;
    const [found, all] = [await runs.count(`version:${expected}`), await runs.count()];
    const targets = await runs.targets();
    if (found !== documents || all !== documents || targets.length !== 1) {
      throw new Error(
        `Kill ${version}: the run is ${status}, and the alias has ${found} of ${all} documents in ${targets}: ${message}`,
      );
    }
    live = await afterLease(runs, documents, version + 0.5);
    const states = await runs.states();
    if (states.length !== 1) throw new Error(`Kill ${version}: the next rebuild left ${JSON.stringify(states)}`);
  }
  return { unmoved: kills - moved, moved };
}

/**
 * Rebuilds the index. A failed run cannot mark its index while the search engine is away, so for two minutes it looks as
 * if it were still running.
 */
async function afterLease(runs: KilledRuns, documents: number, version: number): Promise<number> {
  for (;;) {
    const { status, message } = await runs.run(versioned(documents, version), BLOCK);
    if (status === 'SUCCEEDED') return version;
    if (!message.includes('Another rebuild of')) throw new Error(`The rebuild ${version} failed: ${message}`);
    await sleep(1000);
  }
}

async function rebuild(runs: KilledRuns, documents: number, version: number): Promise<number> {
  const { status, message } = await runs.run(versioned(documents, version), BLOCK);
  if (status !== 'SUCCEEDED') throw new Error(`The rebuild ${version} failed: ${message}`);
  return version;
}

/** Starts a rebuild in another process, and kills it after a random number of written documents. */
async function killOne(runs: KilledRuns, documents: number, version: number): Promise<void> {
  const config = runs.config(versioned(documents, version), BLOCK);
  const before = new Set((await runs.states()).map(([name]) => name));
  const child = spawn(process.execPath, ['-e', SCRIPT, config], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Some kills are before the first document, and some after the last one, when the alias moves.
  const enough = (Math.random() * 1.2 - 0.1) * documents;
  while (child.exitCode === null) {
    const written = await runs.writtenTo(before);
    if (written >= Math.min(enough, documents)) break;
    // Each question takes processor time from the child process and from the search engine.
    await sleep(written < 0 ? 20 : 2);
  }
  if (enough > documents) await sleep(Math.random() * 500);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
