import type { ByteSource } from '../byte-source.ts';

/**
 * The layout of a JSON file: `lines` has one record in each line. `values` has records over any number of lines, in an
 * array or in sequence.
 */
export type JsonLayout = 'lines' | 'values';

/** The maximum number of bytes that are read to detect the layout. */
const MAX_HEAD = 1024 * 1024;

/** Detects the layout of a source from its first bytes. Returns the layout and the complete source. */
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
 * Returns the layout of a text with this beginning, or undefined if more text is needed.
 * An object may continue after its first line. It is pretty-printed if this line or the next one looks so. Otherwise
 * the line is invalid, and the other lines are still read.
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

/** Returns whether a line that begins with a brace closes all its braces. */
function isClosed(line: string): boolean {
  let depth = 0;
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"?|[{}]/g)) {
    if (token === '{') depth++;
    else if (token === '}' && --depth === 0) return true;
  }
  return false;
}
