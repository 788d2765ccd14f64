import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { directoryWith } from '../cli/headrace.ts';

const GRAPH = join(import.meta.dirname, '../../plugins/entities/src/testing/token-model/model.onnx');

async function terminate(library: string, argument: string): Promise<string> {
  const script = join(import.meta.dirname, 'terminate-threads.mjs');
  const module = join(import.meta.dirname, `terminated/${library}.mjs`);
  return (await promisify(execFile)(process.execPath, [script, module, argument])).stdout;
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
