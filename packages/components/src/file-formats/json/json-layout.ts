import { JsonValueScanner } from '@headrace/formats/records/json';
import type { ByteSource } from '../byte-source.ts';
import { resumed } from '../read-ahead.ts';

/**
 * The layout of a JSON file: `lines` has one record in each line. `values` has records over any number of lines, in an
 * array or in sequence.
 */
export type JsonLayout = 'lines' | 'values';

const LF = 10;
const SPACE = 32;
const COMMA = 44;
const OPEN_ARRAY = 91;
const OPEN_OBJECT = 123;
/** A line that begins with one of these continues the object of the line before. */
const GOES_ON = Buffer.from('"}],:');
/** The maximum number of bytes that are read to detect the layout. */
const MAX_HEAD = 1024 * 1024;

/** Detects the layout of a source from its first bytes. Returns the layout and the complete source. */
export async function detectLayout(source: ByteSource): Promise<{ layout: JsonLayout; source: ByteSource }> {
  const pieces = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const next = await pieces.next();
    if (next.done !== true) head = Buffer.concat([head, next.value]);
    const layout = layoutOf(head, next.done === true || head.length >= MAX_HEAD);
    if (layout !== undefined) return { layout, source: resumed(head, pieces) };
  }
}

/**
 * Returns the layout of a text with this beginning, or undefined if more text is needed.
 * If a second object or an array follows the first object in its line, the line may be the whole file, so its values are
 * records. An object may also continue after its first line. It is pretty-printed if this line or the next one looks so.
 * Otherwise the line is invalid, and the other lines are still read.
 */
function layoutOf(head: Buffer, final: boolean): JsonLayout | undefined {
  const undecided = final ? 'lines' : undefined;
  const start = skipSpace(head, 0);
  if (start === head.length) return undecided;
  if (head[start] === OPEN_ARRAY) return 'values';
  if (head[start] !== OPEN_OBJECT) return 'lines';
  const lf = head.indexOf(LF, start);
  const lineEnd = lf < 0 ? head.length : lf;
  const end = new JsonValueScanner().scan(head, start, lineEnd, true);
  if (end >= 0) {
    const next = skipSpace(head, end, COMMA);
    if (next < lineEnd) return head[next] === OPEN_OBJECT || head[next] === OPEN_ARRAY ? 'values' : 'lines';
    return lf < 0 ? undecided : 'lines';
  }
  if (lf < 0) return undecided;
  const line = head.toString('latin1', start, lf).trimEnd();
  if (/[[,:]$/.test(line)) return 'values';
  const next = head[skipSpace(head, lf)];
  if (next === undefined) return final ? 'values' : undefined;
  return GOES_ON.includes(next) || (line.endsWith('{') && next !== OPEN_OBJECT) ? 'values' : 'lines';
}

/** Returns the position of the next byte that is neither white space nor the other byte. */
function skipSpace(bytes: Buffer, from: number, other = SPACE): number {
  let at = from;
  for (
    let byte = bytes[at];
    byte !== undefined && ((byte <= SPACE && byte !== 0) || byte === other);
    byte = bytes[++at]
  );
  return at;
}
