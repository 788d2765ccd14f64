import { mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { StubServer } from '@headrace/testing/stub-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start } from '../cli/headrace.ts';
import { limitMemoryOf, type MemoryLimit, residentMb } from './limited-memory.ts';
import { ANSWERS, type Bomb, FILES, FORMATS, IS_ALL, IS_FULL, SOURCES, STAGES } from './memory-bombs.ts';
import { PLUGINS } from './plugin-bombs.ts';
import { addressOf, finished, type RunDetails, type Served, serviceDirectory, startRun, upload } from './served.ts';

/** The memory of the service, and what it may keep after all runs: its code, and garbage that V8 has not collected. */
const LIMIT_MB = IS_FULL ? 3072 : 1024;
const KEPT_MB = 500;
/** `npm run bench -- memory-bombs` sends all of them. */
const BOMBS: readonly Bomb[] = [
  ...ANSWERS,
  ...FILES,
  ...FORMATS,
  ...SOURCES,
  ...PLUGINS,
  ...(IS_FULL ? STAGES : []),
].filter(({ isUsual }) => IS_ALL || isUsual);

describe(`a service with ${LIMIT_MB} MiB of memory survives`, () => {
  let served: Served;
  let limit: MemoryLimit;
  let server: StubServer;
  let files: string;
  let other: string;

  beforeAll(async () => {
    // As by default on a machine with so much memory. A limit of the process is not visible to it.
    const limits = `{ maxConcurrentRuns: 2, memoryMb: ${LIMIT_MB / 2}, runHeapMb: ${Math.round(LIMIT_MB / 6)} }`;
    const directory = serviceDirectory(`limits: ${limits}\n`);
    files = join(directory, 'files');
    mkdirSync(files);
    server = await StubServer.start(({ path }, response) => {
      const name = decodeURIComponent(path.slice(1));
      BOMBS.find((bomb) => bomb.name === name)?.answer?.(response);
    });
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
  });

  afterAll(async () => {
    served.process.child.kill('SIGKILL');
    await served.process.ended;
    await limit.remove();
    await server.close();
  });

  it.each(BOMBS)('$name', async (bomb) => {
    bomb.write?.(files);
    const connector = bomb.connector?.(server.url, files) ?? `class: SequenceConnector, numDocs: ${bomb.documents}`;
    const config = await upload(
      served.url,
      `connectors: [{name: c, pipeline: p, ${connector}}]
pipelines: [{name: p, stages: [${bomb.stages(server.url, files)}]}]
indexer { class: NopIndexer }`,
    );
    const [run, beside] = await Promise.all(
      [config, other].map(async (id) => finished(served.url, (await startRun(served.url, id)).runId)),
    );
    expect(served.process.child.exitCode).toBeNull();
    expect(beside).toMatchObject({ status: 'SUCCEEDED', progress: { succeeded: 20_000, failed: 0 } });
    expect(readFileSync(join(files, 'other.jsonl'), 'utf8').split('\n')).toHaveLength(20_001);
    const { succeeded, failed } = (run as RunDetails).progress;
    const found = { succeeded, failed, either: succeeded + failed, any: bomb.documents };
    expect(found[bomb.expected]).toBe(bomb.documents);
  });

  it('and gives the memory back', async () => {
    const used = () => residentMb(served.process.child.pid as number);
    await expect.poll(used).toBeLessThan(KEPT_MB);
    if (IS_ALL) {
      const peak = limit.peakMb()?.toFixed(0) ?? 'unknown';
      console.log(`Limited by: ${limit.kind}. Peak: ${peak} MiB. After: ${used().toFixed(0)} MiB`);
    }
  });
});
