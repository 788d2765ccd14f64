import { HeadraceError } from '@headrace/engine';
import { findPyodide } from '@headrace/sandbox/python';

/** The versions that we test with: those of `optionalDependencies` in package.json. */
const RANGE = '^314.0.7';

/** Where the optional package Pyodide is. Throws `HR_STAGE_START` if it is not installed. */
export function pyodideFolder(resolve?: (id: string) => string): string {
  const folder = findPyodide(resolve);
  if (folder !== undefined) return folder;
  throw new HeadraceError('HR_STAGE_START', 'EmbeddedPython needs the package pyodide, which is not installed', {
    hint: `Run: npm install pyodide@${RANGE}. Or use ExternalPython, which runs the Python of the machine.`,
  });
}
