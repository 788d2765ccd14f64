import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findBoundary } from '@headrace/components';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { expect, it } from 'vitest';
import { start } from '../cli/headrace.ts';
import { addressOf, finished, runDetails, serviceDirectory } from '../service/served.ts';

const boundary = await findBoundary([]);
const OCTETS = { 'content-type': 'application/octet-stream' };

/** Returns a GIF of about 1 KB that describes pictures of 256 million pixels. ffmpeg took 6 GB for it. */
function bomb(): Buffer {
  const frame = '21f904000100000000' + '2c0000000001000100' + '00' + '0202440100';
  const size = Buffer.alloc(4);
  size.writeUInt16LE(16_000, 0);
  size.writeUInt16LE(16_000, 2);
  return Buffer.concat([Buffer.from('GIF89a'), size, Buffer.from(`f00000000000ffffff${frame.repeat(50)}3b`, 'hex')]);
}

/** Starts a service with the strict policy, whose PATH has an ffmpeg with a unique path. */
async function serveVideos() {
  const directory = serviceDirectory('policy: strict\n');
  mkdirSync(join(directory, 'bin'));
  const program = join(directory, 'bin/ffmpeg');
  symlinkSync(ffmpegPath, program);
  const service = start(['serve', 'service.yml'], {
    cwd: directory,
    env: { PATH: `${join(directory, 'bin')}:${process.env['PATH']}` },
  });
  const url = await addressOf(service);
  const run = async (name: string, bytes: Buffer, stages = '') => {
    const sent = await fetch(`${url}/v1/file/${name}`, { method: 'PUT', headers: OCTETS, body: new Uint8Array(bytes) });
    const { path } = (await sent.json()) as { path: string };
    const config = `connectors: [{ class: FileConnector, name: c, pipeline: p, paths: ["${path}"]
      fileHandlers { mp4 { class: VideoFileHandler, frameStride: 5 } } }]
      pipelines: [{ name: p, stages: [${stages}] }], indexer { type: Nop }`;
    const answer = await fetch(`${url}/v1/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ config }),
    });
    return ((await answer.json()) as { runId: string }).runId;
  };
  return { directory, program, service, url, run };
}

function makeVideo(directory: string, seconds: number): Buffer {
  const video = join(directory, 'made.mp4');
  const source = `testsrc=size=320x240:rate=25:duration=${seconds}`;
  execFileSync(ffmpegPath, ['-v', 'error', '-y', '-f', 'lavfi', '-i', source, video]);
  return readFileSync(video);
}

/** Returns the running processes of a program. */
function processesOf(program: string): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter((row) => row.includes(`${program} -nostdin`) && !row.startsWith('Z'));
}

// plugins/video tests the refusal on a machine without a boundary.
it.runIf(boundary.kind !== 'none')(
  'with the strict policy, a video is read inside a boundary, a bomb fails, and ffmpeg ends with a killed service',
  async () => {
    const { directory, program, service, url, run } = await serveVideos();
    const good = await finished(url, await run('a.mp4', makeVideo(directory, 1)));
    expect(good).toMatchObject({ status: 'SUCCEEDED', progress: { succeeded: 5 } });

    const bad = await finished(url, await run('bomb.mp4', bomb()));
    expect(bad).toMatchObject({ status: 'FAILED', progress: { succeeded: 0, failed: 1 } });
    expect(JSON.stringify(bad)).toContain('exceeds specified max pixel count 16777216');

    const slow = '{ class: ApplyJavascript, script: "for (let i = 0; i < 3e6; i++);" }';
    const runId = await run('long.mp4', makeVideo(directory, 60), slow);
    await expect.poll(async () => (await runDetails(url, runId)).progress.published).toBeGreaterThan(0);
    expect(processesOf(program).length).toBeGreaterThan(0);
    service.child.kill('SIGKILL');
    await service.ended;
    await expect.poll(() => processesOf(program)).toEqual([]);
  },
);
