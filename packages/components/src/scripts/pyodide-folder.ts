import { HeadraceError } from '@headrace/engine';
import { findPyodide } from '@headrace/sandbox/python';

/** The tested versions, as in `optionalDependencies` of package.json. */
const RANGE = '^314.0.7';

/** Returns the folder of the optional package Pyodide. Throws `HR_STAGE_START` if it is not installed. */
export function pyodideFolder(resolve?: (id: string) => string): string {
  const folder = findPyodide(resolve);
  if (folder !== undefined) return folder;
  throw new HeadraceError('HR_STAGE_START', 'EmbeddedPython needs the package pyodide, which is not installed', {
    hint: `Run: npm install pyodide@${RANGE}. Or use ExternalPython, which runs the Python of the machine.`,
  });
}
