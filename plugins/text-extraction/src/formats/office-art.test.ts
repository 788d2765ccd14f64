import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BITMAP, container, JPEG, pictureEntry, pictureList, pictureRecord, png, record } from '../testing/pictures.ts';
import { picturesIn } from './office-art.ts';

describe('picturesIn', () => {
  it('returns the pictures of containers in containers, in order, and omits metafiles', () => {
    const records = Buffer.concat([
      record(0xf00a, Buffer.alloc(8)),
      pictureRecord('png', png(1)),
      container(0xf004, container(0xf001, pictureRecord('jpeg', JPEG, 2)), pictureRecord('emf', Buffer.from('EMF'))),
      pictureRecord('png', png(2), 2),
    ]);
    expect([...picturesIn(records)]).toEqual([png(1), JPEG, png(2)]);
  });

  it('returns the pictures in entries of a list, with names or without, and those in another stream once', () => {
    const stream = Buffer.concat([Buffer.alloc(100), pictureRecord('png', png(3))]);
    const list = pictureList(
      pictureEntry(pictureRecord('png', png(1))),
      pictureEntry(pictureRecord('png', png(2)), 'a name'),
      pictureEntry(100),
      pictureEntry(100),
      pictureEntry(0xffff_ffff),
      pictureEntry(pictureRecord('jpeg', JPEG)),
    );
    expect([...picturesIn(list, stream)]).toEqual([png(1), png(2), png(3), JPEG]);
    expect([...picturesIn(list)]).toEqual([png(1), png(2), JPEG]);
  });

  it('returns a bitmap with the header of a BMP file, which says where its pixels are', () => {
    const [bmp] = picturesIn(pictureRecord('dib', BITMAP)) as Iterable<Buffer>;
    expect(bmp?.subarray(0, 2).toString()).toBe('BM');
    expect([bmp?.readUInt32LE(2), bmp?.readUInt32LE(10)]).toEqual([bmp?.length, 14 + 40 + 8]);
    expect(bmp?.subarray(14)).toEqual(BITMAP);
  });

  it('returns parts of its data, no more of them than fit, for any bytes', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.constantFrom(0xf000, 0xf001, 0xf004).map((type) => container(type)),
      fc.constantFrom('png', 'jpeg', 'dib', 'emf').map((type) => pictureRecord(type as 'png', Buffer.alloc(60))),
      fc.nat({ max: 400 }).map((place) => pictureEntry(place)),
      fc
        .record({
          type: fc.constantFrom(0xf007, 0xf01d, 0xf01f),
          size: fc.nat({ max: 2 ** 32 - 1 }),
          version: fc.nat(15),
        })
        .map(({ type, size, version }) => {
          const head = record(type, Buffer.alloc(0), version, 1);
          head.writeUInt32LE(size, 4);
          return head;
        }),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.array(piece), (list, stream) => {
        const records = Buffer.concat(list);
        const delayed = Buffer.concat(stream);
        const pictures = [...picturesIn(records, delayed)];
        expect(pictures.length).toBeLessThanOrEqual(records.length / 8);
        for (const picture of pictures) expect(picture.length).toBeLessThan(records.length + delayed.length + 14);
      }),
    );
  });

  it('needs time for the size of its data only, with a million containers in containers', () => {
    const heads = Buffer.alloc(8_000_000);
    for (let at = 0; at < heads.length; at += 8) heads.writeUInt32LE(0xf004_000f, at);
    const records = Buffer.concat([heads, pictureRecord('png', png(1))]);
    expect([...picturesIn(records)]).toEqual([png(1)]);
  });
});
