import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { folder } from '../testing/extract.ts';
import { word6File } from '../testing/ole-files.ts';
import { imagesIn, parsed } from '../testing/parsed.ts';
import { container, JPEG, pictureEntry, pictureList, pictureRecord, png } from '../testing/pictures.ts';
import { FORM_DATA, inlinePicture, OBJECT, picturePlace, wordWithPictures } from '../testing/word-pictures.ts';

const NONE = Buffer.alloc(0);
const inline = (picture: Buffer) => inlinePicture(container(0xf004, pictureEntry(pictureRecord('png', picture))));
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

describe('the images of a DOC file', () => {
  it('are found in a file that Word saved', async () => {
    const [image, ...more] = await imagesIn(readFileSync(`${folder}image.doc`));
    expect([image?.slice(0, 2), more]).toEqual([['image-1.png', 'image/png'], []]);
    expect(Buffer.from(image?.[2] ?? '', 'base64')).toHaveLength(4444);
  });

  it('are in the order of the text, then those of drawings, and each content once', async () => {
    const first = inline(png(1));
    const second = inlinePicture(pictureRecord('jpeg', JPEG), 102, Buffer.from('\x04file', 'latin1'));
    const file = wordWithPictures({
      pieces: [
        ['One \x01', picturePlace(0)],
        ['Two \x01', picturePlace(first.length)],
        ['\x01\r', picturePlace(0)],
      ],
      order: [1, 0, 2],
      data: Buffer.concat([first, second]),
      drawings: (place) => pictureList(pictureEntry(place), pictureEntry(pictureRecord('png', png(1)))),
      rest: pictureRecord('png', png(3)),
    });
    expect(await imagesIn(file)).toEqual([
      ['image-1.jpg', 'image/jpeg', base64(JPEG)],
      ['image-2.png', 'image/png', base64(png(1))],
      ['image-3.png', 'image/png', base64(png(3))],
    ]);
    expect(await parsed(file)).toMatchObject({ text: 'Two One \n' });
    expect((await parsed(file, { images: false })).images).toEqual([]);
  });

  it('are not those of deleted text, form fields, objects and links', async () => {
    const picture = inline(png(1));
    const link = inlinePicture(pictureRecord('png', png(2)), 94);
    const file = wordWithPictures({
      pieces: [
        ['deleted \x01', picturePlace(0)],
        ['field \x01', Buffer.concat([picturePlace(0), FORM_DATA])],
        ['object \x01', Buffer.concat([OBJECT, picturePlace(0)])],
        ['link \x01', picturePlace(picture.length)],
        ['nowhere \x01\r', picturePlace(0xffff_ff00)],
        ['plain', NONE],
      ],
      order: [1, 2, 3, 4, 5],
      data: Buffer.concat([picture, link]),
    });
    expect(await imagesIn(file)).toEqual([]);
  });

  it('fail the document if the pictures of a small file are in each other', async () => {
    const step = 8 + 17 + png(1).length;
    const rest = Array.from({ length: 100 }).reduce<Buffer>(
      (inner) => pictureRecord('png', Buffer.concat([png(1), inner])),
      NONE,
    );
    const drawings = (place: number) =>
      pictureList(...Array.from({ length: 100 }, (_, i) => pictureEntry(place + i * step)));
    const file = wordWithPictures({ pieces: [['text', NONE]], order: [0], drawings, rest });
    expect((await parsed(file)).images).toHaveLength(100);
    const { problem } = await parsed(file, { maxExpandedBytes: 400_000 });
    expect(problem).toEqual({ kind: 'too large', message: 'it expands to more than 400000 bytes' });
  });

  it('are not read in files of Word 6, whose text is read', async () => {
    expect(await parsed(word6File('old text'))).toMatchObject({ text: 'old text\n', images: [] });
  });

  it('never end the process or hang, for any damage', async () => {
    const whole = readFileSync(`${folder}image.doc`);
    const damage = fc.array(fc.tuple(fc.nat({ max: whole.length - 5 }), fc.nat({ max: 2 ** 32 - 1 })), {
      minLength: 1,
    });
    await fc.assert(
      fc.asyncProperty(damage, async (places) => {
        const file = Buffer.from(whole);
        for (const [at, value] of places) file.writeUInt32LE(value, at);
        const { problem, images } = await parsed(file);
        expect(problem === undefined || problem.message !== '').toBe(true);
        expect(images.length).toBeLessThan(100);
      }),
    );
  });
});
