import { diff } from 'node:util';
import { readJson, type Value, writeString, writeValue } from '@headrace/engine';

/** Equal lines around a difference that are shown. */
const CONTEXT = 3;
/** What `util.diff` marks a line with that only its first list has. One that only the second has gets -1. */
const ONLY_FIRST = 1;

/**
 * How documents differ from those that were expected, a line for each field: `-` expected, `+` got. Undefined when they
 * are equal. The order of fields does not matter, that of the documents and of values in a list does.
 */
export function documentDiff(
  expected: readonly string[],
  got: readonly string[],
  ignore: ReadonlySet<string>,
): string | undefined {
  const wanted = expected.map((text) => fieldsOf(text, ignore));
  const real = got.map((text) => fieldsOf(text, ignore));
  const wantedLines = wanted.flatMap((fields) => documentLines(fields, [...fields.keys()]));
  const realLines = real.flatMap((fields) => documentLines(fields, orderLike(fields, wanted)));
  if (wantedLines.join('\n') === realLines.join('\n')) return undefined;
  const marked = diff(wantedLines, realLines);
  const lines: string[] = [];
  let skipped = false;
  for (const [i, [mark, line]] of marked.entries()) {
    const near = marked.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(([other]) => other !== 0);
    if (near) lines.push(`${mark === 0 ? ' ' : mark === ONLY_FIRST ? '-' : '+'} ${line}`);
    else if (!skipped) lines.push('  …');
    skipped = !near;
  }
  return lines.join('\n');
}

type Fields = ReadonlyMap<string, Value>;

function fieldsOf(document: string, ignore: ReadonlySet<string>): Fields {
  const fields = readJson(document) as Map<string, Value>;
  return new Map([...fields].filter(([name]) => !ignore.has(name)));
}

/** The names of the fields of a document in the order in which its expected form has them, the others after them. */
function orderLike(fields: Fields, expected: readonly Fields[]): string[] {
  const like = expected.find((other) => other.get('id') === fields.get('id'));
  const first = [...(like?.keys() ?? [])].filter((name) => fields.has(name));
  return [...first, ...[...fields.keys()].filter((name) => !first.includes(name))];
}

function documentLines(fields: Fields, names: readonly string[]): string[] {
  const lines = names.map((name) => `  ${writeString(name)}: ${writeValue(sorted(fields.get(name) as Value))}`);
  return ['{', ...lines, '}'];
}

/** A value with the keys of its objects in order, so that equal values are equal texts. */
function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  const entries = [...value].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([key, member]) => [key, sorted(member)]));
}
