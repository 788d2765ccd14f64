const FILE_HEAD = 14;
/** The sizes of the headers of OS/2 and of Windows. Later ones are longer. */
const OLD_HEAD = 12;
const HEAD = 40;
const BIT_FIELDS = 3;
const BIT_FIELDS_WITH_ALPHA = 6;

/**
 * Returns a bitmap as a BMP file. Inside documents, bitmaps have no file header, which says where the pixels begin: after
 * the header, the masks of the colors and the palette. Returns undefined if the bytes are no bitmap.
 */
export function bmpOf(bitmap: Buffer): Buffer | undefined {
  if (bitmap.length < HEAD) return undefined;
  if (bitmap.toString('latin1', 0, 2) === 'BM') return bitmap;
  const head = bitmap.readUInt32LE(0);
  const isOld = head === OLD_HEAD;
  if (!isOld && (head < HEAD || head > 124)) return undefined;
  const bits = bitmap.readUInt16LE(isOld ? 10 : 14);
  const stated = isOld ? 0 : bitmap.readUInt32LE(32);
  const colors = stated === 0 && bits <= 8 ? 1 << bits : stated;
  const compression = isOld ? 0 : bitmap.readUInt32LE(16);
  const masks = head !== HEAD ? 0 : compression === BIT_FIELDS ? 12 : compression === BIT_FIELDS_WITH_ALPHA ? 16 : 0;
  const pixelsAt = head + masks + colors * (isOld ? 3 : 4);
  if (pixelsAt >= bitmap.length) return undefined;
  const fileHead = Buffer.alloc(FILE_HEAD);
  fileHead.write('BM', 'latin1');
  fileHead.writeUInt32LE(FILE_HEAD + bitmap.length, 2);
  fileHead.writeUInt32LE(FILE_HEAD + pixelsAt, 10);
  return Buffer.concat([fileHead, bitmap]);
}
