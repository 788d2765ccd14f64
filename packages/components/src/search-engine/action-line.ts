/** The members that identify a document, which `BulkEncoder` writes last: `"_id":"1","_index":"a","routing":"b"`. */
const ID_MEMBER = '"_id":';
const INDEX_MEMBER = ',"_index":';

const LF = 10;

/** The parts of the first line of a document in a bulk request, as Latin-1. */
interface ActionLine {
  /** Everything up to the id. */
  readonly start: string;
  /** What follows the name of the index. */
  readonly end: string;
  /** The id as JSON, and the routing if there is one. */
  readonly document: string;
}

/** Splits the first line of a document at the name of its index. Versions may be longer than a number of JavaScript. */
export function splitActionLine(line: string): ActionLine {
  const id = line.indexOf(ID_MEMBER) + ID_MEMBER.length;
  const afterId = endOfText(line, id);
  const afterIndex = endOfText(line, afterId + INDEX_MEMBER.length);
  const end = line.slice(afterIndex);
  return { start: line.slice(0, afterId), end, document: line.slice(id, afterId) + end };
}

/** Returns a document of a bulk request for another index. */
export function inIndex(document: Uint8Array, index: string): Buffer {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const line = bytes.indexOf(LF);
  const { start, end } = splitActionLine(bytes.toString('latin1', 0, line));
  const name = Buffer.from(JSON.stringify(index)).toString('latin1');
  return Buffer.concat([Buffer.from(start + INDEX_MEMBER + name + end, 'latin1'), bytes.subarray(line)]);
}

/** Returns the position after a JSON text. */
function endOfText(line: string, start: number): number {
  let at = start + 1;
  while (line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
  return at + 1;
}
