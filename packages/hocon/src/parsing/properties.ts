import type { ConfigNode, ObjectNode, Origin } from '../tree/node.ts';
import type { ProblemList } from '../tree/problem.ts';
import type { Session } from './session.ts';

/** One `key=value` of a properties text. */
interface Property {
  key: string;
  value: string;
  origin: Origin;
  keyOrigin: Origin;
}

/**
 * Parses a text in the format of `java.util.Properties`. Keys are split at their dots. All values are strings. A key
 * that is also the start of another key loses its value.
 */
export function parseProperties(
  text: string,
  file: string | undefined,
  { problems, limits }: Pick<Session, 'problems' | 'limits'>,
): ObjectNode {
  const properties = new Map<string, Property>();
  for (const property of readProperties(text, file, problems)) properties.set(property.key, property);
  const entries: PathEntry[] = [];
  for (const { key, value, origin, keyOrigin } of properties.values()) {
    const path = key.split('.');
    if (path.length <= limits.depth) {
      entries.push({ path, node: { kind: 'string', value, origin }, origin: keyOrigin });
    } else problems.add('too-deep', origin, `values are nested deeper than ${limits.depth} levels`, 'use shorter keys');
  }
  return objectOfPaths(entries, { file, line: 1, column: 1 });
}

/** A value and its path. */
export interface PathEntry {
  path: string[];
  node: ConfigNode;
  origin: Origin;
}

/** Returns an object with values at paths. If one path is the start of another, the longer path wins. */
export function objectOfPaths(entries: PathEntry[], origin: Origin): ObjectNode {
  const root: ObjectNode = { kind: 'object', entries: new Map(), keys: new Map(), origin };
  for (const { path, node, origin: at } of entries) {
    let into = root;
    for (const key of path.slice(0, -1)) {
      let inner = into.entries.get(key);
      if (inner?.kind !== 'object') {
        inner = { kind: 'object', entries: new Map(), keys: new Map(), origin: at };
        into.entries.set(key, inner);
        into.keys.set(key, at);
      }
      into = inner;
    }
    const last = path.at(-1)!;
    if (into.entries.get(last)?.kind === 'object') continue;
    into.entries.set(last, node);
    into.keys.set(last, at);
  }
  return root;
}

/** A line with its continuation lines, without leading white space. */
interface LogicalLine {
  content: string;
  /** The start of the line in the text. */
  line: number;
  column: number;
  /** The starts of the continuation lines: the offset in the content, the line and the column. */
  continued: { at: number; line: number; column: number }[];
}

/** Yields the logical lines. Continuation lines are joined. Comments and empty lines are skipped. */
function* logicalLines(text: string): Generator<LogicalLine> {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1;
    const first = lines[i]!.replace(/^[ \t\f]+/, '');
    if (first === '' || first.startsWith('#') || first.startsWith('!')) continue;
    const column = columnOf(first, lines[i]!);
    const continued: LogicalLine['continued'] = [];
    const parts = [first];
    let length = first.length;
    while (/(?<!\\)(?:\\\\)*\\$/.test(parts.at(-1)!)) {
      parts.push(parts.pop()!.slice(0, -1));
      length--;
      if (++i >= lines.length) break;
      const next = lines[i]!.replace(/^[ \t\f]+/, '');
      continued.push({ at: length, line: i + 1, column: columnOf(next, lines[i]!) });
      parts.push(next);
      length += next.length;
    }
    yield { content: parts.join(''), line, column, continued };
  }
}

function columnOf(trimmed: string, line: string): number {
  return line.length - trimmed.length + 1;
}

/** Converts an offset in a logical line to a position in the text. */
function placeOf(at: number, { line, column, continued }: LogicalLine, file: string | undefined): Origin {
  const start = continued.findLast((next) => next.at <= at) ?? { at: 0, line, column };
  return { file, line: start.line, column: start.column + at - start.at };
}

const escapes: Record<string, string> = { t: '\t', n: '\n', r: '\r', f: '\f' };

function* readProperties(text: string, file: string | undefined, problems: ProblemList): Generator<Property> {
  for (const logical of logicalLines(text)) {
    const { content } = logical;
    const keyOrigin = placeOf(0, logical, file);
    const key = /^(?:\\.|[^\\=: \t\f])*/su.exec(content)![0];
    const rest = content.slice(key.length).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
    let bad = false;
    const plain = (escaped: string) =>
      escaped.replace(/\\(?:u([0-9a-fA-F]{4})|(u)|(.)|$)/gsu, (_, hex?: string, u?: string, c?: string) => {
        if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
        if (u !== undefined) bad = true;
        return c === undefined ? '' : (escapes[c] ?? c);
      });
    const origin = placeOf(content.length - rest.length, logical, file);
    yield { key: plain(key), value: plain(rest), origin, keyOrigin };
    const hint = 'write \\u0041 for A, or \\\\ for a backslash';
    if (bad) problems.add('bad-properties', keyOrigin, '\\u must be followed by four hexadecimal digits', hint);
  }
}
