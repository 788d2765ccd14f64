export type { MakeError, ScriptProblem } from './script-problem.ts';
