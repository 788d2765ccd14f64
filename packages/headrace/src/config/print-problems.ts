import { formatProblem, type Problem } from '@headrace/engine/reading';
import { writeLines } from '../process/output.ts';
import { writeRecord, writesJson } from '../process/standard-error.ts';

/**
 * Writes problems to standard error: lines for people, JSON records for programs.
 *
 * @param mask hides secrets
 */
export function writeProblems(problems: readonly Problem[], file: string, mask = (text: string) => text): void {
  if (!writesJson()) writeLines('stderr', problemLines(problems, file).map(mask));
  else for (const problem of problems) writeProblem(problem, file, mask);
}

function writeProblem(problem: Problem, file: string, mask: (text: string) => string) {
  const { severity, message, hint, ...where } = problem;
  // A failed document is not a problem of the config.
  const logger = /^HR_(CONFIG|POLICY)_/.test(problem.code) ? 'config' : 'runner';
  const advice = hint === undefined ? {} : { hint: mask(hint) };
  const level = severity === 'error' ? 'error' : 'warn';
  writeRecord({ level, logger, file, ...where, ...advice, msg: mask(message) });
}

/** Returns problems in the format of compilers, one line each, in the order of the text. */
export function problemLines(problems: readonly Problem[], file: string): string[] {
  return problems.map((problem) => formatProblem(problem, file));
}

/** Returns the number of errors and warnings, such as `2 errors, 1 warning`. */
export function countProblems(problems: readonly Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  const warnings = problems.length - errors;
  const parts = [count(errors, 'error'), count(warnings, 'warning')].filter((part) => part !== undefined);
  return parts.length === 0 ? 'no problems' : parts.join(', ');
}

function count(number: number, noun: string): string | undefined {
  return number === 0 ? undefined : `${number} ${noun}${number === 1 ? '' : 's'}`;
}
