/** The sizes of values by the upper three bits of a property; 6 has its size before the value. */
const SIZES = [1, 1, 2, 4, 2, 2, 0, 3];
const TABLE_DEFINITION = 0xd608;

/** A property of characters or a paragraph in an old Word file. */
export interface DocProperty {
  readonly property: number;
  /** Where its value is in the list, and how many bytes it has. */
  readonly at: number;
  readonly size: number;
}

/** Returns the properties in a list. A property whose value is cut ends it. (Source: [MS-DOC] 2.6.) */
export function* propertiesIn(data: Buffer, start = 0): Generator<DocProperty> {
  for (let at = start; at + 3 <= data.length; ) {
    const property = data.readUInt16LE(at);
    at += 2;
    let size = SIZES[property >> 13] as number;
    if (size === 0 && property === TABLE_DEFINITION)
      size = at + 2 <= data.length ? data.readUInt16LE(at) + 1 : data.length;
    else if (size === 0) size = 1 + (data[at] as number);
    if (at + size > data.length) return;
    yield { property, at, size };
    at += size;
  }
}

const PAGE_BYTES = 512;

/**
 * Returns the pages with the properties of characters or paragraphs. The last byte of a page is the number of its runs. A
 * page that a damaged table names again is returned once.
 * @param at where the header of the file says where the table of the pages is
 */
export function pagesOf(word: Buffer, table: Buffer, at: number): Buffer[] {
  const start = word.readUInt32LE(at);
  const count = Math.floor((Math.min(word.readUInt32LE(at + 4), table.length - start) - 4) / 8);
  const places = new Set<number>();
  for (let i = 0; i < count; i++) {
    places.add((table.readUInt32LE(start + (count + 1 + i) * 4) & 0x3fffff) * PAGE_BYTES);
  }
  return [...places]
    .filter((place) => place + PAGE_BYTES <= word.length)
    .map((place) => word.subarray(place, place + PAGE_BYTES));
}
