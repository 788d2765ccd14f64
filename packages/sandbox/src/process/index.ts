export { ScriptProcess, type ScriptProcessOptions } from './script-process.ts';
