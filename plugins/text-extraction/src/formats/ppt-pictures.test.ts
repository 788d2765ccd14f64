import { describe, expect, it } from 'vitest';
import { powerPoint97File } from '../testing/ole-files.ts';
import { imagesIn, parsed } from '../testing/parsed.ts';
import { BITMAP, JPEG, pictureEntry, pictureRecord, png } from '../testing/pictures.ts';

describe('the images of a PPT file', () => {
  it('are those of its stream of pictures, in order, without metafiles and each content once', async () => {
    const pictures = Buffer.concat([
      pictureRecord('png', png(1), 2),
      pictureRecord('emf', Buffer.from('metafile')),
      pictureEntry(pictureRecord('jpeg', JPEG)),
      pictureRecord('png', png(1)),
      pictureRecord('dib', BITMAP),
    ]);
    const file = powerPoint97File('Title', 'Box', pictures);
    expect((await imagesIn(file)).map(([name, type]) => [name, type])).toEqual([
      ['image-1.png', 'image/png'],
      ['image-2.jpg', 'image/jpeg'],
      ['image-3.bmp', 'image/bmp'],
    ]);
    expect((await parsed(file, { images: false })).images).toEqual([]);
  });

  it('fail the document if they have more bytes than files may expand to', async () => {
    const large = pictureRecord('png', Buffer.concat([png(1), Buffer.alloc(5000)]));
    const file = powerPoint97File('Title', 'Box', large);
    const { problem } = await parsed(file, { maxExpandedBytes: 5000 });
    expect(problem).toEqual({ kind: 'too large', message: 'it expands to more than 5000 bytes' });
  });
});
