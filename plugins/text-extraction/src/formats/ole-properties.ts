import iconv from 'iconv-lite';
import type { Extraction } from '../blocks/blocks.ts';
import type { OleFile } from './ole.ts';

/** The properties of the stream SummaryInformation, and the names of Tika. (Source: [MS-OLEPS] 3.1.) */
const SUMMARY: Readonly<Record<number, readonly string[]>> = {
  2: ['dc:title'],
  3: ['dc:subject'],
  4: ['dc:creator'],
  5: ['meta:keyword', 'dc:subject'],
  6: ['w:Comments'],
  7: ['extended-properties:Template'],
  8: ['meta:last-author'],
  9: ['cp:revision'],
  10: ['extended-properties:TotalTime'],
  11: ['meta:print-date'],
  12: ['dcterms:created'],
  13: ['dcterms:modified'],
  14: ['meta:page-count', 'xmpTPg:NPages'],
  15: ['meta:word-count'],
  16: ['meta:character-count'],
  18: ['extended-properties:Application'],
};
/** The properties of the stream DocumentSummaryInformation. */
const DOCUMENT_SUMMARY: Readonly<Record<number, readonly string[]>> = {
  2: ['cp:category'],
  3: ['extended-properties:PresentationFormat'],
  7: ['meta:slide-count', 'xmpTPg:NPages'],
  14: ['extended-properties:Manager'],
  15: ['extended-properties:Company'],
};
const EDIT_TIME = 10;
/** Types of values. (Source: [MS-OLEPS] 2.15.) */
const I2 = 2;
const I4 = 3;
const LPSTR = 30;
const LPWSTR = 31;
const FILETIME = 64;
/** 1601-01-01, where a FILETIME begins, in milliseconds. */
const FILETIME_START = -11_644_473_600_000;
const MOST_PROPERTIES = 1000;

/** Describes an old Office file by its property streams. */
export function describeOle(file: OleFile, to: Extraction): void {
  describeStream(file.stream('\u0005SummaryInformation'), SUMMARY, to);
  describeStream(file.stream('\u0005DocumentSummaryInformation'), DOCUMENT_SUMMARY, to);
}

function describeStream(
  stream: Uint8Array | undefined,
  names: Readonly<Record<number, readonly string[]>>,
  to: Extraction,
): void {
  if (stream === undefined) return;
  for (const [id, value] of propertiesOf(Buffer.from(stream))) {
    // A count of 0 means that the writer does not know it.
    if (value === 0 && id !== EDIT_TIME) continue;
    for (const name of names[id] ?? []) to.describe(name, value);
  }
}

function propertiesOf(data: Buffer): Map<number, string | number> {
  const found = new Map<number, string | number>();
  if (data.length < 48) return found;
  const section = data.readUInt32LE(44);
  if (section + 8 > data.length) return found;
  const count = Math.min(MOST_PROPERTIES, data.readUInt32LE(section + 4));
  const places: [id: number, at: number][] = [];
  for (let i = 0; i < count && section + 16 + i * 8 <= data.length; i++) {
    places.push([data.readUInt32LE(section + 8 + i * 8), section + data.readUInt32LE(section + 12 + i * 8)]);
  }
  const pageAt = places.find(([id]) => id === 1)?.[1];
  const page = pageAt !== undefined && pageAt + 6 <= data.length ? data.readUInt16LE(pageAt + 4) : 1252;
  for (const [id, at] of places) {
    const value = valueAt(data, at, page, id === EDIT_TIME);
    if (value !== undefined) found.set(id, value);
  }
  return found;
}

function valueAt(data: Buffer, at: number, page: number, isDuration: boolean): string | number | undefined {
  if (at + 8 > data.length) return undefined;
  switch (data.readUInt16LE(at)) {
    case I2:
      return data.readInt16LE(at + 4);
    case I4:
      return data.readInt32LE(at + 4);
    case LPSTR:
      return decoded(data.subarray(at + 8, at + 8 + data.readUInt32LE(at + 4)), page);
    case LPWSTR:
      return data.toString('utf16le', at + 8, at + 8 + data.readUInt32LE(at + 4) * 2).replace(/\0.*$/s, '');
    case FILETIME: {
      if (at + 12 > data.length) return undefined;
      const ticks = data.readBigUInt64LE(at + 4);
      if (isDuration) return Number(ticks);
      const time = Number(ticks / 10_000n) + FILETIME_START;
      return ticks === 0n || time > 8.64e15
        ? undefined
        : new Date(Math.floor(time / 1000) * 1000).toISOString().replace('.000Z', 'Z');
    }
    default:
      return undefined;
  }
}

function decoded(bytes: Buffer, page: number): string {
  const encoding = page === 1200 ? 'utf16le' : page === 65001 ? 'utf8' : `cp${page}`;
  return iconv.decode(bytes, iconv.encodingExists(encoding) ? encoding : 'cp1252').replace(/\0.*$/s, '');
}
