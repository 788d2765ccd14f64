import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Extraction } from '../blocks/blocks.ts';
import { folder } from '../testing/extract.ts';
import { imagesIn, parsed } from '../testing/parsed.ts';
import { pictureEntry, pictureList, pictureRecord, png } from '../testing/pictures.ts';
import { ExpansionBudget } from './format.ts';
import { Pictures } from './pictures.ts';
import { addXlsPictures } from './xls-pictures.ts';

/** Returns a record of Excel: its type, its size and its body. */
function excelRecord(type: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(body.length, 2);
  return Buffer.concat([head, body]);
}

function found(workbook: Uint8Array): readonly Uint8Array[] {
  const extraction = new Extraction(1, true);
  addXlsPictures(workbook, new Pictures(extraction, new ExpansionBudget(1_000_000)));
  return extraction.images.map(({ bytes }) => bytes);
}

describe('the images of an XLS file', () => {
  it('are found in a file that Excel saved', async () => {
    const file = readFileSync(`${folder}image.xls`);
    const [image, ...more] = await imagesIn(file);
    expect([image?.slice(0, 2), more]).toEqual([['image-1.png', 'image/png'], []]);
    expect(Buffer.from(image?.[2] ?? '', 'base64')).toHaveLength(4444);
    expect((await parsed(file, { images: false })).images).toEqual([]);
  });

  it('are found in a group that is divided into records, but not in other records that are divided', () => {
    const group = pictureList(pictureEntry(pictureRecord('png', png(1))), pictureEntry(pictureRecord('png', png(2))));
    const other = excelRecord(0x3c, pictureRecord('png', png(3)));
    const workbook = [
      excelRecord(0x0809, Buffer.alloc(16)),
      excelRecord(0x00fc, Buffer.alloc(8)),
      other,
      excelRecord(0x00eb, group.subarray(0, 50)),
      excelRecord(0x00eb, group.subarray(50, 90)),
      excelRecord(0x003c, group.subarray(90)),
      excelRecord(0x00fc, Buffer.alloc(8)),
      other,
      excelRecord(0x000a),
      excelRecord(0x00eb, pictureRecord('png', png(4))),
    ];
    expect(found(Buffer.concat(workbook))).toEqual([png(1), png(2)].map((image) => Uint8Array.from(image)));
  });

  it('are parts of the file for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isGroup) => {
        const workbook = isGroup ? excelRecord(0x00eb, Buffer.from(bytes)) : bytes;
        for (const image of found(workbook)) expect(image.length).toBeLessThan(400);
      }),
    );
  });
});
