import type { ErrorCode } from './error-codes.ts';
import { escapeControls } from './plain-text.ts';

/** A problem of a config. The command line, the API and a failed run return the same list of problems. */
export interface Problem {
  severity: 'error' | 'warning';
  code: ErrorCode;
  /** The path in the config, such as `pipelines[0].stages[2].destField`. Empty for the whole config. */
  path: string;
  /** The file that contains the problem, if it is not the file of the config. */
  file?: string;
  /** The line number, from 1. */
  line?: number;
  /** The column number, from 1. */
  column?: number;
  /** The connector, stage or indexer that has the problem, such as `ParseDate (dates)`. */
  component?: string;
  message: string;
  /** A hint that says what the user can do. */
  hint?: string;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** Sorts problems by file and position in the text. Problems without a position are last. */
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

/** Returns a message and its hint as sentences: `There is no stage Trm. Did you mean Trim?` */
export function withHint({ message, hint }: { readonly message: string; readonly hint?: string | undefined }): string {
  return [message, hint]
    .flatMap((text) => (text === undefined ? [] : /[.?!]$/.test(text) ? text : `${text}.`))
    .join(' ');
}

/** Returns a problem with its hint in one line, in the format of compilers: `movies.conf:3:7: error: …`. */
export function formatProblem(problem: Problem, file?: string): string {
  const where = [problem.file ?? file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const component = problem.component === undefined ? '' : `${problem.component}: `;
  const path = problem.path === '' ? '' : ` [${problem.path}]`;
  return escapeControls(
    `${where === '' ? '' : `${where}: `}${problem.severity}: ${component}${withHint(problem)}${path}`,
  );
}
