import { PNG } from 'pngjs';

/** A small PNG file. A different width gives a different file. */
export function png(width: number): Buffer {
  return PNG.sync.write(new PNG({ width, height: 1 }));
}

/** The start of a JPEG file, which is enough to recognize it. */
export const JPEG = Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0', 'latin1');

/** A bitmap of 2 by 1 pixels in a palette of 2 colors, without the header of a BMP file. */
export const BITMAP = Buffer.concat([
  numbers(40, 2, 1, 1 | (1 << 16), 0, 4, 0, 0, 2, 0),
  numbers(0x000000, 0xffffff),
  Buffer.from([0x40, 0, 0, 0]),
]);

export function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, i * 4);
  return bytes;
}

/** Returns a record of an old Office file. */
export function record(type: number, body: Uint8Array, version = 0, instance = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16LE(version | (instance << 4), 0);
  head.writeUInt16LE(type, 2);
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

export function container(type: number, ...children: Buffer[]): Buffer {
  return record(type, Buffer.concat(children), 0xf);
}

/** The types of the records of pictures, and how many digests are before a picture. */
const TYPES = { emf: 0xf01a, jpeg: 0xf01d, png: 0xf01e, dib: 0xf01f };

export function pictureRecord(type: keyof typeof TYPES, picture: Buffer, digests: 1 | 2 = 1): Buffer {
  return record(TYPES[type], Buffer.concat([Buffer.alloc(16 * digests + 1, 0xee), picture]), 0, 0x6e0 + digests - 1);
}

/** Returns the entry of a picture in the list of a file, with the picture or the place where it is. */
export function pictureEntry(pictureOrPlace: Buffer | number, name = ''): Buffer {
  const head = Buffer.alloc(36);
  head.writeUInt8(name.length, 33);
  if (typeof pictureOrPlace === 'number') head.writeUInt32LE(pictureOrPlace, 28);
  const picture = typeof pictureOrPlace === 'number' ? Buffer.alloc(0) : pictureOrPlace;
  return record(0xf007, Buffer.concat([head, Buffer.from(name), picture]), 2, 6);
}

/** Returns the list of the pictures of a file. */
export function pictureList(...entries: Buffer[]): Buffer {
  return container(0xf000, record(0xf006, Buffer.alloc(24)), container(0xf001, ...entries));
}
