import { globSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';
import { HeadraceError, missingBoundaryProblem, type ParameterProblem } from 'headrace/engine';

const PACKAGE = 'onnxruntime-node';
/** The tested versions, the same as in `peerDependencies` of package.json. */
const RANGE = '^1.30.0';

/**
 * Throws `HR_LIBRARY_MISSING` if ONNX Runtime is not installed. It is not installed with the plugins, because its install
 * script downloads files that only graphics cards need, from a server that is not the npm registry.
 */
export function requireRuntime(): void {
  const missing = missingRuntime();
  if (missing !== undefined) throw new HeadraceError(missing.code, missing.message, { hint: missing.hint });
}

/** What computes a model: the processor, or a graphics card. */
export const DEVICES = ['cpu', 'cuda', 'coreml', 'dml', 'webgpu'] as const;
export type Device = (typeof DEVICES)[number];

/** The only operating system of a device. */
const PLATFORMS: { readonly [device in Device]?: NodeJS.Platform } = { cuda: 'linux', coreml: 'darwin', dml: 'win32' };
const CUDA_LIBRARIES = 'bin/*/linux/*/libonnxruntime_providers_cuda.so';

/**
 * Reports a parameter that needs ONNX Runtime, if it is not installed, or if the policy allows it only in a boundary that
 * this machine does not have. Reports a device that this machine cannot have. Does
 * not load ONNX Runtime: whether a graphics card works is known only at the start.
 */
export function* checkRuntime(parameter: string, device: Device = 'cpu'): Generator<ParameterProblem> {
  const missing = missingRuntime();
  const unconfined = missingBoundaryProblem(parameter);
  if (unconfined !== undefined) yield unconfined;
  if (missing !== undefined) yield { parameter, ...missing, atStart: true };
  else yield* checkDevice(device);
}

/** Reports a device of another operating system, and cuda without its libraries. */
export function* checkDevice(
  device: Device,
  platform: NodeJS.Platform = process.platform,
  hasCuda = hasCudaLibraries,
): Generator<ParameterProblem> {
  const needed = PLATFORMS[device] ?? platform;
  if (needed !== platform) yield deviceProblem(device, `it exists only on ${needed}, this is ${platform}`);
  else if (device === 'cuda' && !hasCuda()) yield deviceProblem(device, 'onnxruntime-node has no libraries for CUDA');
}

function deviceProblem(parameter: Device, reason: string): ParameterProblem {
  const { code, message, hint } = deviceError(parameter, reason);
  return { parameter: 'device', code, message, ...(hint === undefined ? {} : { hint }), atStart: true };
}

/** Returns the error for a device that cannot compute a model. */
export function deviceError(device: Device, reason: string): HeadraceError {
  const needs =
    device === 'cuda' ? 'cuda needs a graphics card with CUDA, and onnxruntime-node without --ignore-scripts. ' : '';
  return new HeadraceError('HR_LIBRARY_MISSING', `device ${device} cannot be used: ${reason}`, {
    hint: `${needs}Remove device to use the processor.`,
  });
}

function hasCudaLibraries(): boolean {
  const manifest = findPackageJSON(PACKAGE, import.meta.url);
  return manifest !== undefined && globSync(CUDA_LIBRARIES, { cwd: dirname(manifest) }).length > 0;
}

/** Returns the problem to report if ONNX Runtime is not installed; undefined if it is. */
export function missingRuntime(
  isInstalled = isFound,
): { code: 'HR_LIBRARY_MISSING'; message: string; hint: string } | undefined {
  if (isInstalled()) return undefined;
  return {
    code: 'HR_LIBRARY_MISSING',
    message: `Local models need a package that is not installed: npm install ${PACKAGE}@${RANGE} --ignore-scripts`,
    hint:
      'Add -g if Headrace was installed with -g. The package contains its libraries for processors; its install script, ' +
      'which --ignore-scripts skips, downloads those for graphics cards.',
  };
}

function isFound(): boolean {
  try {
    return findPackageJSON(PACKAGE, import.meta.url) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}
