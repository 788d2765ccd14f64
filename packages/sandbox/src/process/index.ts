export { ScriptProcess, type ScriptProcessOptions } from './script-process.ts';
export type { ScriptProgram, StartProgram } from './script-program.ts';
