import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const GRAPH = join(import.meta.dirname, '../../plugins/entities/src/testing/token-model/model.onnx');

// ONNX Runtime ended the process if it was in the thread: "terminate called after throwing an instance of 'Napi::Error'".
it('a process survives threads that are terminated while a model is loaded or computes', async () => {
  const script = join(import.meta.dirname, 'terminate-model-threads.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, GRAPH]);
  expect(stdout).toBe('terminated 24\nleft 0\n');
});
