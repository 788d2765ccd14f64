import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { start } from '../cli/headrace.ts';
import { limitMemoryOf, type MemoryLimit, peakResidentMb, resetPeakResident, residentMb } from './limited-memory.ts';
import { ANSWERS, type Bomb, FILES, FORMATS, IS_ALL, IS_FULL, LIMITS, SOURCES, STAGES } from './memory-bombs.ts';
import { PLUGINS } from './plugin-bombs.ts';
import { addressOf, finished, type RunDetails, type Served, serviceDirectory, startRun, upload } from './served.ts';

/** The memory of the service, and what it may keep after all runs: its code, and garbage that V8 has not collected. */
const LIMIT_MB = IS_FULL ? 3072 : 1024;
const KEPT_MB = 500;
/** `npm run bench -- memory-bombs` sends all of them. HEADRACE_BOMB is a regular expression for the names of a part. */
const ONLY = process.env['HEADRACE_BOMB'];
const BOMBS: readonly Bomb[] = [...ANSWERS, ...FILES, ...FORMATS, ...SOURCES, ...PLUGINS, ...STAGES].filter(
  ({ name, isUsual }) => (ONLY === undefined ? IS_ALL || isUsual : new RegExp(ONLY).test(name)),
);

describe(`a service with ${LIMIT_MB} MiB of memory survives`, () => {
  let served: Served;
  let limit: MemoryLimit;
  let server: StubServer;
  let directory: string;
  let files: string;
  let other: string;

  beforeAll(async () => {
    // As by default on a machine with so much memory. The service does not see the limit.
    const limits = `{ maxConcurrentRuns: 2, memoryMb: ${LIMIT_MB / 2}, runHeapMb: ${Math.round(LIMIT_MB / 6)} }`;
    directory = serviceDirectory(`limits: ${limits}\n`);
    files = join(directory, 'files');
    mkdirSync(files);
    server = await StubServer.start(({ path }, response) => {
      const name = decodeURIComponent(path.slice(1));
      BOMBS.find((bomb) => bomb.name === name)?.answer?.(response);
    });
    await startLimited();
  });

  // A bomb may have ended the service. The others are still sent.
  beforeEach(async () => {
    if (!hasEnded()) return;
    await limit.remove();
    await startLimited();
  });

  afterAll(async () => {
    served.process.child.kill('SIGKILL');
    await served.process.ended;
    await limit.remove();
    await server.close();
  });

  it.each(BOMBS)('$name', async (bomb) => {
    await send(bomb).catch(async (error: Error) => {
      throw new Error(
        `${error.message}${error.cause === undefined ? '' : ` (${error.cause})`}\n${await endOfService()}`,
      );
    });
  });

  async function send(bomb: Bomb): Promise<void> {
    bomb.write?.(files);
    // Writing may block this process for a minute. Here it notices that the service has closed unused connections.
    await new Promise(setImmediate);
    const connector = bomb.connector?.(server.url, files) ?? `class: SequenceConnector, numDocs: ${bomb.documents}`;
    const output = join(files, 'seen.jsonl');
    rmSync(output, { force: true });
    const indexer = bomb.seen === undefined ? 'NopIndexer' : `JsonLinesIndexer }\njsonl { path: ${output}`;
    const config = await upload(
      served.url,
      `connectors: [{name: c, pipeline: p, ${connector}}]
pipelines: [{name: p, stages: [${bomb.stages(server.url, files)}]}]
indexer { class: ${indexer} }`,
    );
    limit.resetPeak();
    resetPeakResident(pidOf());
    const [run, beside] = await Promise.all(
      [config, other].map(async (id) => finished(served.url, (await startRun(served.url, id)).runId)),
    );
    const { status, progress } = run as RunDetails;
    const reason = await reasonOf(run as RunDetails);
    const { published, succeeded, failed } = progress;
    if (IS_ALL) {
      const peak = `peak: service ${peakResidentMb(pidOf()).toFixed(0)} MiB, group ${limit.peakMb()?.toFixed(0) ?? 'unknown'} MiB`;
      console.log(
        `${bomb.name}: ${status}, ${succeeded} succeeded, ${failed} failed; ${peak}; ${reason ?? 'no failure'}`,
      );
    }
    expect(hasEnded()).toBe(false);
    if (limit.kind === 'measured') expect(peakResidentMb(pidOf())).toBeLessThan(LIMIT_MB);
    expect(beside).toMatchObject({ status: 'SUCCEEDED', progress: { succeeded: 20_000, failed: 0 } });
    expect(readFileSync(join(files, 'other.jsonl'), 'utf8').split('\n')).toHaveLength(20_001);
    const found = { succeeded, failed, either: succeeded + failed, any: bomb.documents };
    expect(found[bomb.expected], reason).toBe(bomb.documents);
    // The bomb was read: its documents contain what it says, or they failed because of a limit.
    if (reason !== undefined) expect(reason).toMatch(bomb.refusal ?? LIMITS);
    else expect(published).toBeGreaterThan(0);
    if (bomb.seen !== undefined && succeeded > 0) {
      const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
      expect(lines).toHaveLength(succeeded);
      for (const line of lines) expect(line).toContain(bomb.seen);
    }
  }

  it('and gives the memory back', async () => {
    await expect.poll(() => residentMb(pidOf())).toBeLessThan(KEPT_MB);
    if (IS_ALL) console.log(`Limited by: ${limit.kind}. After: ${residentMb(pidOf()).toFixed(0)} MiB`);
  });

  async function startLimited(): Promise<void> {
    const started = start(['serve', 'service.yml'], {
      cwd: directory,
      env: { PATH: `${dirname(ffmpegPath)}${delimiter}${process.env['PATH']}` },
    });
    limit = limitMemoryOf(started.child.pid as number, LIMIT_MB * 2 ** 20);
    served = { process: started, url: await addressOf(started) };
    other = await upload(
      served.url,
      `connectors: [{name: c, class: SequenceConnector, pipeline: p, numDocs: 20000}]
pipelines: [{name: p, stages: [{class: Concatenate, dest: t, formatString: "{id}"}]}]
indexer { class: JsonLinesIndexer }
jsonl { path: ${files}/other.jsonl }`,
    );
  }

  function pidOf(): number {
    return served.process.child.pid as number;
  }

  function hasEnded(): boolean {
    const { exitCode, signalCode } = served.process.child;
    return exitCode !== null || signalCode !== null;
  }

  /** Describes how the service ended. SIGKILL without a message means that the kernel had no memory for it. */
  async function endOfService(): Promise<string> {
    const outcome = await Promise.race([served.process.ended, sleep(5000)]);
    const { stderr } = served.process.output;
    const how = outcome === undefined ? 'it runs' : `exit code ${outcome.code}, signal ${outcome.signal}`;
    return `The service: ${how}. The end of its standard error:\n${stderr.slice(-8000)}`;
  }

  /** Returns the message of the first failed document, or of the failed run. */
  async function reasonOf({ runId, status, runResult }: RunDetails): Promise<string | undefined> {
    const response = await fetch(`${served.url}/v1/run/${runId}/failures?limit=1`);
    const { items } = (await response.json()) as { items: readonly { message: string }[] };
    const message = items[0]?.message ?? (status === 'SUCCEEDED' ? undefined : (runResult?.message ?? status));
    return message?.replaceAll(/\s+/g, ' ');
  }
});
