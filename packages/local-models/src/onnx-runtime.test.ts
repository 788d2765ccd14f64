import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkRuntime, missingRuntime } from './onnx-runtime.ts';

it('reports that ONNX Runtime is not installed, with the command that installs the tested versions', () => {
  const { peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(missingRuntime(() => false)).toMatchObject({
    code: 'HR_LIBRARY_MISSING',
    message: expect.stringContaining(
      `npm install onnxruntime-node@${peerDependencies['onnxruntime-node']} --ignore-scripts`,
    ),
  });
});

it('reports no problem if ONNX Runtime is installed', () => {
  expect([...checkRuntime('model')]).toEqual([]);
});
