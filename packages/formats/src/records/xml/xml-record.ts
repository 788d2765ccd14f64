import { AMPERSAND, CR } from './xml-bytes.ts';

/** An element that becomes a document. */
export interface XmlRecord {
  /** The range in the scanned bytes. */
  readonly start: number;
  readonly end: number;
  /** The line of the first byte, counted from 1. */
  readonly line: number;
  /** The pieces of text that form the id. */
  readonly id: readonly IdPiece[];
}

/** A piece of text as written in the source, with references, or of a CDATA section, which has no references. */
export interface IdPiece {
  /** The offset from the start of the record. */
  readonly start: number;
  readonly end: number;
  readonly cdata: boolean;
}

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The maximum number of bytes that are checked before a piece, because a piece after a long text is faster to decode alone. */
const MAX_BEFORE = 512;

/**
 * Returns the id of a record: the text of its pieces, with resolved references and LF line ends. Throws a `SyntaxError`
 * for an unknown entity.
 * @param bytes the bytes that contain the record
 * @param text the text of the record
 */
export function idOfRecord(bytes: Buffer, text: string, { start: from, id }: XmlRecord): string {
  const [first] = id;
  // An id is usually short, at the start of a record, and one piece.
  if (first !== undefined && id.length === 1 && isPlainUpTo(bytes, from, first))
    return text.slice(first.start, first.end);
  let result = '';
  for (const { start, end, cdata } of id) {
    const source = bytes.toString('utf8', from + start, from + end).replace(/\r\n?/g, '\n');
    result += cdata || !source.includes('&') ? source : source.replace(/&([^;]+)(;?)/g, resolve);
  }
  return result;
}

/** Returns true if a piece has the same position in the bytes and in the text of its record, and is its own text. */
function isPlainUpTo(bytes: Buffer, from: number, { start, end }: IdPiece): boolean {
  if (end > MAX_BEFORE) return false;
  for (let at = from + start; at < from + end; at++) if (bytes[at] === AMPERSAND || bytes[at] === CR) return false;
  for (let at = from; at < from + end; at++) if ((bytes[at] as number) >= 0x80) return false;
  return true;
}

function resolve(reference: string, name: string, end: string): string {
  if (end === '') return reference;
  if (name.startsWith('#x')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
  if (name.charCodeAt(0) === 35) return String.fromCodePoint(Number(name.slice(1)));
  if (Object.hasOwn(PREDEFINED, name)) return PREDEFINED[name] as string;
  throw new SyntaxError(`the id contains ${reference}, an entity that is not expanded`);
}
