import type { Action, Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Problem } from '../api/types.ts';

/**
 * Returns the problems of a config as underlined parts of its text. Problems without a position are omitted.
 * @param actionsOf returns what can be done about a problem
 */
export function diagnosticsOf(
  text: Text,
  problems: readonly Problem[],
  actionsOf: (problem: Problem) => readonly Action[] = () => [],
): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const problem of problems) {
    const { line, column = 1, severity, message, hint, file } = problem;
    if (line === undefined || file !== undefined || line > text.lines) continue;
    const { from: start, to: end, text: content } = text.line(line);
    const from = Math.min(end, start + column - 1);
    const word = /^[^\s,:=[\]{}]+/.exec(content.slice(column - 1))?.[0] ?? '';
    const to = Math.min(end, from + Math.max(1, word.length));
    const actions = actionsOf(problem);
    found.push({ from, to, severity, actions, message: hint === undefined ? message : `${message}\n${hint}` });
  }
  return found.sort((a, b) => a.from - b.from);
}
