export { boundedPython, type PythonChecks } from './bounded-python.ts';
export { EXTERNAL_PYTHON } from './external-python.ts';
export { findPyodide, pyodideCommand } from './pyodide-process.ts';
