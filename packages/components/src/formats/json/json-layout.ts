import type { ByteSource } from '../byte-source.ts';

/**
 * The arrangement of records in a JSON file: one per line, or values on any number of lines, in an array or in
 * sequence.
 */
export type JsonLayout = 'lines' | 'values';

/** A first line longer than this is taken for what it looks like so far. */
const MAX_HEAD = 1024 * 1024;

/** The layout of a source, found out from its beginning, and the source, from its beginning. */
export async function detectLayout(source: ByteSource): Promise<{ layout: JsonLayout; source: ByteSource }> {
  const pieces = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await pieces.next();
    if (next.done !== true) head = Buffer.concat([head, next.value]);
    const layout = layoutOf(head.toString('latin1'), next.done === true || head.length >= MAX_HEAD);
    if (layout !== undefined) return { layout, source: resume(head, pieces) };
  }
}

async function* resume(head: Uint8Array, pieces: AsyncIterator<Uint8Array>): ByteSource {
  try {
    yield head;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) yield next.value;
  } finally {
    await pieces.return?.();
  }
}

/**
 * The layout of a text that begins like this; undefined if more is needed to tell. An object that its first line
 * does not close is pretty-printed when the line or the next one looks like it; otherwise the line is broken, and
 * the others need not suffer.
 */
function layoutOf(head: string, final: boolean): JsonLayout | undefined {
  const undecided = final ? 'lines' : undefined;
  const start = head.search(/[^ \t\r\n]/);
  if (start < 0) return undecided;
  if (head[start] === '[') return 'values';
  if (head[start] !== '{') return 'lines';
  const lineEnd = head.indexOf('\n', start);
  if (lineEnd < 0) return undecided;
  const line = head.slice(start, lineEnd).trimEnd();
  if (isClosed(line)) return 'lines';
  if (/[[,:]$/.test(line)) return 'values';
  const next = /[^ \t\r\n]/.exec(head.slice(lineEnd))?.[0];
  if (next === undefined) return undecided;
  return '"}],:'.includes(next) || (line.endsWith('{') && next !== '{') ? 'values' : 'lines';
}

/** Whether the braces of a line that begins with one are all closed. */
function isClosed(line: string): boolean {
  let depth = 0;
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"?|[{}]/g)) {
    if (token === '{') depth++;
    else if (token === '}' && --depth === 0) return true;
  }
  return false;
}
