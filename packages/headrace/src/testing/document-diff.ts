import { diff } from 'node:util';
import { readJson, type Value, writeString, writeValue } from '@headrace/engine';

/** How many equal lines are shown around a difference. */
const CONTEXT = 3;
/** The mark of `util.diff` for a line that only the first list contains. The mark for the second list is -1. */
const ONLY_FIRST = 1;

/**
 * Returns the differences between documents and the expected ones, one line per field: `-` expected, `+` actual.
 * Returns undefined if they are equal. The order of fields is ignored, but not the order of documents and of values in
 * a list.
 */
export function documentDiff(
  expected: readonly string[],
  got: readonly string[],
  ignore: ReadonlySet<string>,
): string[] | undefined {
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
  return lines;
}

type Fields = ReadonlyMap<string, Value>;

function fieldsOf(document: string, ignore: ReadonlySet<string>): Fields {
  const fields = readJson(document) as Map<string, Value>;
  return new Map([...fields].filter(([name]) => !ignore.has(name)));
}

/** Returns the field names of a document in the order of the expected document. Other fields follow. */
function orderLike(fields: Fields, expected: readonly Fields[]): string[] {
  const like = expected.find((other) => other.get('id') === fields.get('id'));
  const first = [...(like?.keys() ?? [])].filter((name) => fields.has(name));
  return [...first, ...[...fields.keys()].filter((name) => !first.includes(name))];
}

function documentLines(fields: Fields, names: readonly string[]): string[] {
  const lines = names.map((name) => `  ${writeString(name)}: ${writeValue(sorted(fields.get(name) as Value))}`);
  return ['{', ...lines, '}'];
}

/** Returns a value with sorted object keys, so that equal values have equal texts. */
function sorted(value: Value): Value {
  if (Array.isArray(value)) return value.map(sorted);
  if (!(value instanceof Map)) return value;
  const entries = [...value].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([key, member]) => [key, sorted(member)]));
}
