import { execFileSync } from 'node:child_process';
import { createReadStream, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import {
  checkNested,
  DEFAULT_POLICY,
  enforcePolicy,
  type Policy,
  type Publisher,
  type RecordDecoder,
  STRICT_POLICY,
  silentNotices,
} from 'headrace/engine';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { VideoFileHandler } from './video-file-handler.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-video-'));
  // One second of 30 frames, with sound. The index of an MP4 file is at its end.
  const picture = ['-f', 'lavfi', '-i', 'testsrc=size=64x48:rate=30:duration=1', '-f', 'lavfi', '-i', 'sine'];
  execFileSync(ffmpegPath, ['-loglevel', 'error', ...picture, '-shortest', join(folder, 'a.b.mp4')]);
  execFileSync(ffmpegPath, ['-loglevel', 'error', '-i', join(folder, 'a.b.mp4'), join(folder, 'part.ts')]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Params = Record<string, unknown>;

function checked(params: Params) {
  return checkNested(VideoFileHandler, new Map(Object.entries({ ffmpegPath, ...params })) as never, []);
}

interface ReadOptions {
  readonly params?: Params;
  /** False to read the file as a stream, as from object storage. */
  readonly local?: boolean;
  /** Called for each piece of a stream. */
  readonly onPiece?: (controller: AbortController) => void;
  /** The policy of the thread that reads. */
  readonly policy?: Policy;
  /** Called for each frame. */
  readonly onFrame?: (controller: AbortController) => void;
}

/** Reads a file, and decodes the frames as a pipeline thread does. */
async function read(name: string, { params = {}, local = true, policy, onPiece, onFrame }: ReadOptions = {}) {
  const warnings: string[] = [];
  const documents: Record<string, unknown>[] = [];
  const controller = new AbortController();
  const publisher: Publisher = {
    publish: () => undefined,
    reject: () => undefined,
    settled: async () => {},
    signal: controller.signal,
    async publishChunk({ bytes, decoder, position }) {
      const module = (await import(decoder.url)) as Record<string, new (options: unknown) => RecordDecoder>;
      const Decoder = module[decoder.name] as new (options: unknown) => RecordDecoder;
      new Decoder(structuredClone(decoder.options)).decode(bytes, structuredClone(position), {
        document: (document) => void documents.push(JSON.parse(document.toJson())),
        reject() {},
        warn() {},
        notice() {},
      });
      onFrame?.(controller);
    },
  };
  const path = join(folder, name);
  const bytes = createReadStream(path).on('data', () => onPiece?.(controller));
  const file = { path: `file://${path}`, name, bytes: bytes.pause(), local: local ? path : undefined };
  const { params: all, problems } = checked(params);
  expect(problems).toEqual([]);
  enforcePolicy(policy);
  onTestFinished(() => void enforcePolicy(undefined));
  const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
  await VideoFileHandler.open(all as never, { docIdPrefix: '', log, notices: silentNotices }).publish(file, publisher);
  return { documents, warnings };
}

/** Returns the ffmpeg processes that this process started, also zombies. */
function processes(): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' }).split('\n');
  return rows.filter((row) => Number(row.trim().split(/ +/)[0]) === process.pid && row.includes('ffmpeg'));
}

describe('VideoFileHandler', () => {
  it('publishes every n-th frame with its presentation time, of a local file and of a stream', async () => {
    const params = { frameStride: 10, docIdPrefix: 'v-', docIdFormat: '%S' };
    const { documents, warnings } = await read('a.b.mp4', { params });
    expect(warnings).toEqual([]);
    const times = { 0: 0, 10: 333, 20: 666 };
    expect(documents).toEqual(
      Object.entries(times).map(([index, millis]) => ({
        id: `v-A.B-f${index}`,
        source: `file://${folder}/a.b.mp4`,
        file_name: 'a.b.mp4',
        frame_index: Number(index),
        frame_time_ms: millis,
        frame_timecode: `00:00:00.${String(millis).padStart(3, '0')}`,
        image_width: 64,
        image_height: 48,
        // The signature of PNG files.
        frame_image: expect.stringMatching(/^iVBORw0KGgo/),
      })),
    );
    expect(new Set(documents.map(({ frame_image }) => frame_image)).size).toBe(3);
    expect((await read('a.b.mp4', { params, local: false })).documents).toEqual(documents);
  });

  it('publishes all frames by default, in fields with other names', async () => {
    const { documents } = await read('part.ts', {
      params: { frameStride: 0, sourceField: 'path', frameImageField: 'png', frameIndexField: 'n' },
    });
    expect(documents.map(({ n }) => n)).toEqual(Array.from({ length: 30 }, (_, index) => index));
    expect(documents[29]).toMatchObject({
      id: 'part-f29',
      path: expect.stringMatching(/part\.ts$/),
      png: expect.stringMatching(/^iVBORw/),
    });
  });

  it('ends ffmpeg when the run stops, and when publishing fails', async () => {
    const stopped = await read('a.b.mp4', { onFrame: (controller) => controller.abort() });
    expect(stopped.documents.length).toBe(1);
    const failing = () => {
      throw new Error('no capacity');
    };
    await expect(read('a.b.mp4', { onFrame: failing })).rejects.toThrow('no capacity');
    expect(processes()).toEqual([]);
    const copied = await read('a.b.mp4', { local: false, onPiece: (controller) => controller.abort() });
    expect(copied).toEqual({ documents: [], warnings: [] });
  });

  it('fails for a file that is not a video, and for a playlist, which names other files', async () => {
    await writeFile(join(folder, 'bad.mp4'), 'no video');
    await expect(read('bad.mp4')).rejects.toThrow(/bad\.mp4: ffmpeg ended with code \d+: .*Invalid data found/);
    const part = `#EXTINF:1,\n${folder}/part.ts`;
    await writeFile(join(folder, 'list.mp4'), `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${part}\n#EXT-X-ENDLIST\n`);
    await expect(read('list.mp4')).rejects.toThrow(/list\.mp4: ffmpeg ended with code \d+: .+/);
    await writeFile(join(folder, 'concat.mp4'), 'ffconcat version 1.0\nfile part.ts\n');
    await expect(read('concat.mp4')).rejects.toThrow(/concat\.mp4: ffmpeg ended with code \d+: .*not on whitelist/);
  });

  it('publishes the frames of a damaged video, with a warning', async () => {
    const bytes = readFileSync(join(folder, 'part.ts'));
    await writeFile(join(folder, 'cut.ts'), bytes.fill(0xff, 6000, 9000).subarray(0, 14_000));
    const { documents, warnings } = await read('cut.ts');
    expect(documents.length).toBeGreaterThan(1);
    expect(documents.length).toBeLessThan(30);
    expect(warnings).toEqual([expect.stringMatching(/cut\.ts: ffmpeg reports: /)]);
  });

  it.each([
    [{ ffmpegPath: '/none/ffmpeg' }, '/none/ffmpeg is not a program'],
    [{ docIdFormat: '%d' }, '"%d" is not a format for texts: use %s'],
    [{ sourceField: 'id' }, 'The field id is reserved'],
  ])('reports a mistake in %j', (params, message) => {
    expect(checked(params).problems.map((problem) => problem.message)).toEqual([message]);
  });

  it('refuses a program of an uploaded config, and all videos if the policy needs a boundary that is missing', () => {
    enforcePolicy(DEFAULT_POLICY);
    try {
      expect(checked({}).problems).toMatchObject([{ parameter: ['ffmpegPath'], code: 'HR_POLICY_REFUSED' }]);
      enforcePolicy({ ...STRICT_POLICY, boundary: { kind: 'none', reason: 'no bubblewrap' } });
      expect(checked({}).problems.map(({ code }) => code)).toContain('HR_POLICY_NO_BOUNDARY');
    } finally {
      enforcePolicy(undefined);
    }
  });

  it('refuses an ffmpeg that is too old, and accepts a build without a version', async () => {
    const write = (name: string, line: string) =>
      writeFile(join(folder, name), `#!/bin/sh\necho '${line}'\n`, { mode: 0o755 });
    await write('old-ffmpeg', 'ffmpeg version 5.1.6-0+deb12u1 Copyright (c) 2000-2024 the FFmpeg developers');
    const old = { ffmpegPath: join(folder, 'old-ffmpeg') };
    await expect(read('a.b.mp4', { params: old })).rejects.toMatchObject({
      code: 'HR_LIBRARY_MISSING',
      message: `${old.ffmpegPath} is ffmpeg 5.1.6, which is too old`,
      hint: 'Install ffmpeg 6.0 or newer, or set ffmpegPath to its path.',
    });
    await write('new-ffmpeg', 'ffmpeg version N-118000-g1234567 Copyright (c) 2000-2026 the FFmpeg developers');
    const built = { ffmpegPath: join(folder, 'new-ffmpeg') };
    await expect(read('a.b.mp4', { params: built })).rejects.toThrow('the output of ffmpeg is not PNG');
  });

  it.runIf(process.platform === 'linux')('limits the memory, time, pictures and variables of ffmpeg', async () => {
    const script = `#!/bin/sh
echo "[error] data $(ulimit -d) time $(ulimit -t) variables $(/usr/bin/env | /usr/bin/sort | /usr/bin/tr '\\n' ' ')" >&2
echo "[error] arguments $*" >&2
exit 1
`;
    await writeFile(join(folder, 'limits'), script, { mode: 0o755 });
    process.env['SECRET_OF_THE_SERVICE'] = 'hunter2';
    const message = await read('a.b.mp4', { params: { ffmpegPath: join(folder, 'limits') } }).catch(String);
    delete process.env['SECRET_OF_THE_SERVICE'];
    expect(message).toMatch(/data 2097152 time 28800 variables LC_ALL=C PWD=\S+ /);
    expect(message).toMatch(/arguments .*-threads 2 -max_pixels 36000000 -protocol_whitelist fd /);
    expect(message).not.toContain('hunter2');
  });

  it('reports that ffmpeg is not installed', () => {
    const before = process.env['PATH'];
    process.env['PATH'] = folder;
    try {
      expect(checked({ ffmpegPath: undefined }).problems).toMatchObject([
        { message: 'VideoFileHandler needs the program ffmpeg, which is in no folder of PATH' },
      ]);
    } finally {
      process.env['PATH'] = before;
    }
  });
});

describe('the time of ffmpeg', () => {
  /** Returns the path of a program that answers as ffmpeg, and then runs a command. */
  async function programThat(command: string): Promise<string> {
    const path = join(folder, 'slow-ffmpeg');
    const version = 'case "$1" in -version) echo "ffmpeg version 7.1"; exit;; esac';
    await writeFile(path, `#!/bin/sh\n${version}\n${command}\n`, { mode: 0o755 });
    return path;
  }

  it('is limited for each frame, by the policy for a document', async () => {
    const params = { ffmpegPath: await programThat('exec sleep 10000') };
    const policy = { ...DEFAULT_POLICY, limits: { maxProcessingSecs: 1 } };
    await expect(read('a.b.mp4', { params, policy })).rejects.toMatchObject({
      code: 'HR_SOURCE_UNREADABLE',
      message: expect.stringMatching(/a\.b\.mp4: ffmpeg took longer than 1 s for the next frame$/),
    });
    expect(processes()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('is limited on the processors, by the policy for a run', async () => {
    const params = { ffmpegPath: await programThat('echo "[error] $(ulimit -t) s" >&2; exit 1') };
    const policy = { ...DEFAULT_POLICY, limits: { maxRunSecs: 100 } };
    await expect(read('a.b.mp4', { params, policy })).rejects.toThrow('ffmpeg ended with code 1: 200 s');
  });
});
