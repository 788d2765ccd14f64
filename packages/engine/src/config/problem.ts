import type { ErrorCode } from '../errors/error-codes.ts';

/** Something wrong with a config, wherever it was found. The same list reaches the command line, the API and a failed run. */
export interface Problem {
  severity: 'error' | 'warning';
  code: ErrorCode;
  /** Where in the config: `pipelines[0].stages[2].destField`; empty for the whole. */
  path: string;
  /** The file that the text stands in, when it is not the config itself. */
  file?: string;
  /** From 1. */
  line?: number;
  /** From 1. */
  column?: number;
  /** The connector, stage or indexer that it is about: `ParseDate (dates)`. */
  component?: string;
  message: string;
  /** What to do. */
  hint?: string;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** `movies.conf:3:7: error: … (hint)` on one line, as compilers write it. */
export function formatProblem(problem: Problem, file?: string): string {
  const where = [problem.file ?? file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const component = problem.component === undefined ? '' : `${problem.component}: `;
  const hint = problem.hint === undefined ? '' : ` ${problem.hint}`;
  const path = problem.path === '' ? '' : ` [${problem.path}]`;
  const stop = /[.?!]$/.test(problem.message) ? '' : '.';
  return `${where === '' ? '' : `${where}: `}${problem.severity}: ${component}${problem.message}${stop}${hint}${path}`;
}
