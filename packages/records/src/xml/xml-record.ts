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

/**
 * Returns the text of pieces, with resolved references and LF line ends. Throws a `SyntaxError` for an unknown entity.
 */
export function textOfPieces(record: Buffer, pieces: readonly IdPiece[]): string {
  let text = '';
  for (const { start, end, cdata } of pieces) {
    const source = record.toString('utf8', start, end).replace(/\r\n?/g, '\n');
    text += cdata || !source.includes('&') ? source : source.replace(/&([^;]+)(;?)/g, resolve);
  }
  return text;
}

function resolve(reference: string, name: string, end: string): string {
  if (end === '') return reference;
  if (name.startsWith('#x')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16));
  if (name.charCodeAt(0) === 35) return String.fromCodePoint(Number(name.slice(1)));
  if (Object.hasOwn(PREDEFINED, name)) return PREDEFINED[name] as string;
  throw new SyntaxError(`the id contains ${reference}, an entity that is not expanded`);
}
