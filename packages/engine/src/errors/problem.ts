import type { ErrorCode } from './error-codes.ts';

/** A problem of a config. The command line, the API and a failed run show the same list. */
export interface Problem {
  severity: 'error' | 'warning';
  code: ErrorCode;
  /** The path in the config: `pipelines[0].stages[2].destField`; empty for the whole config. */
  path: string;
  /** The file of the text, if it is not the config itself. */
  file?: string;
  /** From 1. */
  line?: number;
  /** From 1. */
  column?: number;
  /** The connector, stage or indexer that the problem is in: `ParseDate (dates)`. */
  component?: string;
  message: string;
  /** What to do. */
  hint?: string;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** Sorted by file and position in the text. Problems without a position are at the end. */
export function inTextOrder(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      Number(a.line === undefined) - Number(b.line === undefined) ||
      compare(a.file ?? '', b.file ?? '') ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A message and what to do about it, as sentences: `There is no stage Trm. Did you mean Trim?` */
export function withHint({ message, hint }: { readonly message: string; readonly hint?: string | undefined }): string {
  return [message, hint]
    .flatMap((text) => (text === undefined ? [] : /[.?!]$/.test(text) ? text : `${text}.`))
    .join(' ');
}

/** `movies.conf:3:7: error: …` with the hint on one line, as compilers write it. */
export function formatProblem(problem: Problem, file?: string): string {
  const where = [problem.file ?? file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const component = problem.component === undefined ? '' : `${problem.component}: `;
  const path = problem.path === '' ? '' : ` [${problem.path}]`;
  return `${where === '' ? '' : `${where}: `}${problem.severity}: ${component}${withHint(problem)}${path}`;
}
