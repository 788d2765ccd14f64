import type { Format } from '../parsing/session.ts';
import type { Problem } from '../tree/problem.ts';

/**
 * Adds a hint to the problems of a text that is written in another language. For YAML, only the first problem is kept,
 * because the others add no information.
 */
export function explainLanguage(
  problems: Problem[],
  text: string,
  file: string | undefined,
  format: Format,
): Problem[] {
  const first = problems.findIndex((problem) => problem.file === file && problem.kind !== 'IO');
  if (first < 0 || format === 'properties') return problems;
  if (looksLikeYaml(text)) {
    const hint =
      'this looks like YAML; configs are HOCON or JSON: write { } around objects and [ ] around lists, connectors: [{ class: … }]';
    return [{ ...(problems[first] as Problem), hint }];
  }
  const lines = text.split(/\r\n|\n|\r/);
  return problems.map((problem) => {
    const hint = problem.file === file ? commentHint(lines, problem, format) : undefined;
    return hint === undefined ? problem : { ...problem, hint };
  });
}

/**
 * Returns true if a key without a value is followed by `- item`, or by a `key: value` with a larger indentation. A line
 * that ends with an opening bracket or starts with a closing one is not YAML.
 */
function looksLikeYaml(text: string): boolean {
  let found = false;
  let open: number | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const content = line.trim();
    if (content === '' || content.startsWith('#') || content === '---') continue;
    if (/^[{}[\]]|[{[]$/.test(content)) return false;
    const indent = line.length - line.trimStart().length;
    if (open !== undefined)
      found ||= content.startsWith('- ') || (indent > open && /^("[^"]*"|[\w.-]+):( |$)/.test(content));
    open = /^(- +)?("[^"]*"|[\w.-]+):( +#.*)?$/.test(content) ? indent : undefined;
  }
  return found;
}

function commentHint(lines: readonly string[], { line, column }: Problem, format: Format): string | undefined {
  const before = lines[line - 1]?.slice(Math.max(0, column - 2)) ?? '';
  if (/^.?\/\*/.test(before) && format === 'hocon') return 'comments start with # or //; /* */ is not supported';
  if (!/^\s?(\/\/|\/\*|#)/.test(before) || format !== 'json') return undefined;
  return 'JSON does not support comments, but HOCON supports # and //: rename the file to .conf';
}
