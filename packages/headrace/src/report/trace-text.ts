import { type JsonObject, readJson, type StageTrace, withHint, writeString, writeValue } from '@headrace/engine';

/** Longer values are cut, so that the effect of a stage is easy to see. */
const MAX_VALUE = 100;

/** Returns what the stages did to a document, as lines for people: one line per stage, and one per changed field. */
export function traceLines(input: string, trace: readonly StageTrace[]): string[] {
  return [input, ...stageLines(input, trace, '  ')];
}

function stageLines(input: string, trace: readonly StageTrace[], indent: string): string[] {
  const lines: string[] = [];
  let before = fieldsOf(input);
  for (const { stage, class: name, document, children = [], ...entry } of trace) {
    const title = stage.startsWith('stage_') ? `${stage} ${name}` : `${stage} (${name})`;
    lines.push(`${indent}${title}${outcome(entry)}`);
    for (const child of children) {
      const text = child.document ?? '{}';
      lines.push(`${indent}  child ${cut(text)}`, ...stageLines(text, child.trace, `${indent}    `));
    }
    if (document === undefined) continue;
    const after = fieldsOf(document);
    for (const line of changes(before, after)) lines.push(`${indent}  ${line}`);
    before = after;
  }
  return lines;
}

function outcome({ skipped, dropped, skipsRest, failure, unchanged, cut: shortened }: Partial<StageTrace>): string {
  if (failure !== undefined) return `: failed: ${withHint(failure)}`;
  if (dropped === true) return ': dropped';
  if (skipsRest === true) return ': skips the later stages';
  if (skipped !== undefined) return ': not for this document (conditions)';
  if (shortened === true) return ': changed (too much to show)';
  return unchanged === true ? ': nothing changed' : '';
}

function fieldsOf(document: string): JsonObject {
  const value = readJson(document);
  return value instanceof Map ? value : new Map();
}

function changes(before: JsonObject, after: JsonObject): string[] {
  const lines: string[] = [];
  for (const [field, value] of after) {
    const old = before.get(field);
    const [was, is] = [old === undefined ? undefined : writeValue(old), writeValue(value)];
    if (was === is) continue;
    const from = was === undefined ? '' : `${cut(was)} -> `;
    lines.push(`${was === undefined ? '+' : '~'} ${writeString(field)}: ${from}${cut(is)}`);
  }
  for (const field of before.keys()) if (!after.has(field)) lines.push(`- ${writeString(field)}`);
  return lines;
}

function cut(text: string): string {
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}
