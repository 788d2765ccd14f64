import { HeadraceError } from '@headrace/engine';
import { findPyodide } from '@headrace/sandbox/python';

/** Where the optional package Pyodide is. Throws `HR_STAGE_START` when it is not installed. */
export function pyodideFolder(resolve?: (id: string) => string): string {
  const folder = findPyodide(resolve);
  if (folder !== undefined) return folder;
  throw new HeadraceError('HR_STAGE_START', 'EmbeddedPython needs the package pyodide, which is not installed', {
    hint: 'Install it beside Headrace: npm install pyodide. Or use ExternalPython, which runs the Python of the machine.',
  });
}
