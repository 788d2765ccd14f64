import type { Problem } from '@headrace/engine';

const MAX_PROBLEMS = 1000;

/**
 * Limits a list of problems. Returns the first ones, errors before warnings, and one more problem that says how many
 * were omitted. A config of a few megabytes can have so many problems that the full list would fill the memory.
 */
export function boundProblems(problems: Problem[]): Problem[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const errors = problems.filter(({ severity }) => severity === 'error');
  const warnings = problems.filter(({ severity }) => severity === 'warning');
  const ordered = [...errors, ...warnings];
  const [{ severity, code }] = ordered.slice(MAX_PROBLEMS - 1) as [Problem];
  const more = problems.length - MAX_PROBLEMS + 1;
  return [...ordered.slice(0, MAX_PROBLEMS - 1), { severity, code, path: '', message: `…and ${more} more problems` }];
}
