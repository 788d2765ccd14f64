import type { Problem } from '@headrace/engine';

const MAX_PROBLEMS = 1000;

/**
 * The first of many problems, errors before warnings, and last one that says how many more there are: a config of some
 * megabytes can have so many that telling all of them takes more memory than all else.
 */
export function boundProblems(problems: Problem[]): Problem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const errors = problems.filter(({ severity }) => severity === 'error');
  const warnings = problems.filter(({ severity }) => severity === 'warning');
  const ordered = [...errors, ...warnings];
  const [{ severity, code }] = ordered.slice(MAX_PROBLEMS - 1) as [Problem];
  const more = problems.length - MAX_PROBLEMS + 1;
  return [
    ...ordered.slice(0, MAX_PROBLEMS - 1),
    { severity, code, path: '', message: `There are ${more} more problems, which are not told` },
  ];
}
