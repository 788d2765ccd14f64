import { execFile, execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ffmpegPath } from '@headrace/testing/ffmpeg';
import { expect, it } from 'vitest';
import { directoryWith } from '../cli/headrace.ts';

const GRAPH = join(import.meta.dirname, '../../plugins/entities/src/testing/token-model/model.onnx');

async function terminate(library: string, argument: string, variables: NodeJS.ProcessEnv = {}): Promise<string> {
  const script = join(import.meta.dirname, 'terminate-threads.mjs');
  const module = join(import.meta.dirname, `terminated/${library}.mjs`);
  const env = { ...process.env, ...variables };
  return (await promisify(execFile)(process.execPath, [script, module, argument], { env })).stdout;
}

/** Each terminated thread had its own process with the library, which takes long to start on a busy machine. */
const TIMEOUT = 180_000;

// The libraries ended the process if they were in the thread: "terminate called after throwing an instance of 'Napi::Error'".
it(
  'a process survives threads that are terminated while a model is loaded or computes',
  async () => {
    expect(await terminate('model', GRAPH)).toBe('terminated 24\nleft 0\n');
  },
  TIMEOUT,
);

it(
  'a process survives threads that are terminated while LanceDB opens or writes a table',
  async () => {
    expect(await terminate('lance', directoryWith())).toBe('terminated 24\nleft 0\n');
  },
  TIMEOUT,
);

// The programs of an ended thread were zombies, and a program that writes nothing ran on.
it(
  'no ffmpeg is left after threads that are terminated while it reads a video',
  async () => {
    const video = join(directoryWith(), 'video.mp4');
    execFileSync(ffmpegPath, ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc=size=640x360:rate=25:duration=4', video]);
    expect(await terminate('video', video, { FFMPEG: ffmpegPath })).toBe('terminated 24\nleft 0\n');
  },
  TIMEOUT,
);

const ENDLESS = `#!/bin/sh
if [ "$1" = --list-langs ]; then printf 'Languages:\\neng\\n'; exit; fi
: > "$(dirname "$(dirname "$2")")/started"
exec sleep 600
`;

it(
  'no tesseract is left after threads that are terminated while it recognizes an image',
  async () => {
    const folder = directoryWith({ 'endless-tesseract': ENDLESS });
    chmodSync(join(folder, 'endless-tesseract'), 0o755);
    expect(await terminate('ocr', folder)).toBe('terminated 24\nleft 0\n');
  },
  TIMEOUT,
);

it(
  'no Python is left after threads that are terminated while it runs a script',
  async () => {
    expect(await terminate('python', directoryWith())).toBe('terminated 24\nleft 0\n');
  },
  TIMEOUT,
);
