import { findPackageJSON } from 'node:module';
import { HeadraceError, type ParameterProblem } from 'headrace/engine';

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

/** Reports a parameter that needs ONNX Runtime, if it is not installed. Does not load it. */
export function* checkRuntime(parameter: string): Generator<ParameterProblem> {
  const missing = missingRuntime();
  if (missing !== undefined) yield { parameter, ...missing, atStart: true };
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
