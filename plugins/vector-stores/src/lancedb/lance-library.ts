import { createRequire, findPackageJSON } from 'node:module';
import type * as Lance from '@lancedb/lancedb';
import type * as Arrow from 'apache-arrow';
import { HeadraceError, missingBoundaryProblem, type ParameterProblem } from 'headrace/engine';

/** The tested versions, the same as in `peerDependencies` of package.json. */
const PACKAGES = { '@lancedb/lancedb': '^0.39.0', 'apache-arrow': '18.1.0' };

/** LanceDB, and the library with the types of its columns. */
export interface LanceLibrary {
  readonly lance: typeof Lance;
  readonly arrow: typeof Arrow;
}

/** Loads LanceDB, which has 180 MB and is not installed with the plugin. Throws `HR_LIBRARY_MISSING` without it. */
export async function loadLance(): Promise<LanceLibrary> {
  const missing = missingLance();
  if (missing !== undefined) throw new HeadraceError(missing.code, missing.message, { hint: missing.hint });
  // LanceDB recognizes only the classes of apache-arrow for CommonJS. An import would load those for ES modules.
  const require = createRequire(import.meta.resolve('@lancedb/lancedb'));
  return { lance: await import('@lancedb/lancedb'), arrow: require('apache-arrow') as typeof Arrow };
}

/**
 * Reports a parameter that needs LanceDB, if it is not installed, or if the policy allows it only in a boundary that this
 * machine does not have. Does not load it.
 */
export function* checkLance(parameter: string): Generator<ParameterProblem> {
  const missing = missingLance();
  const unconfined = missingBoundaryProblem(parameter);
  if (unconfined !== undefined) yield unconfined;
  if (missing !== undefined) yield { parameter, ...missing, atStart: true };
}

/** Returns the problem to report if LanceDB is not installed; undefined if it is. */
export function missingLance(
  isInstalled = isFound,
): { code: 'HR_LIBRARY_MISSING'; message: string; hint: string } | undefined {
  const missing = Object.keys(PACKAGES).filter((name) => !isInstalled(name));
  if (missing.length === 0) return undefined;
  const install = Object.entries(PACKAGES).map(([name, range]) => `${name}@${range}`);
  return {
    code: 'HR_LIBRARY_MISSING',
    message: `LanceDB needs packages that are not installed: npm install ${install.join(' ')}`,
    hint: 'Add -g if Headrace was installed with -g.',
  };
}

function isFound(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}
