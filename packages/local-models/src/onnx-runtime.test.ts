import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkDevice, checkRuntime, missingRuntime } from './onnx-runtime.ts';

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

it.each([
  ['coreml', 'linux', true, 'device coreml cannot be used: it exists only on darwin, this is linux'],
  ['cuda', 'darwin', true, 'device cuda cannot be used: it exists only on linux, this is darwin'],
  ['cuda', 'linux', false, 'device cuda cannot be used: onnxruntime-node has no libraries for CUDA'],
] as const)('reports that %s cannot be used on %s', (device, platform, hasCuda, message) => {
  expect([...checkDevice(device, platform, () => hasCuda)]).toEqual([
    {
      parameter: 'device',
      code: 'HR_LIBRARY_MISSING',
      message,
      hint: expect.stringContaining('Remove device to use the processor.'),
      atStart: true,
    },
  ]);
});

it.each([
  ['cpu', 'linux'],
  ['webgpu', 'linux'],
  ['cuda', 'linux'],
  ['dml', 'win32'],
] as const)('reports nothing for %s on %s', (device, platform) => {
  expect([...checkDevice(device, platform, () => true)]).toEqual([]);
});
