import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imagesIn, parsed } from '../testing/parsed.ts';
import { BITMAP, JPEG, png } from '../testing/pictures.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const lines = (bytes: Buffer) => bytes.toString('hex').replaceAll(/.{20}/g, '$&\r\n');
const TRUNCATED = expect.stringMatching(/^the file is truncated: .bin at byte \d+ has \d+ bytes, but only \d+ follow$/);

describe('the images of an RTF file', () => {
  it('are read from hexadecimal digits in lines, without the groups that describe them', async () => {
    const rtf = `{\\rtf1 One {\\*\\shppict{\\pict{\\*\\picprop\\shplid1025{\\sp{\\sn shapeType}{\\sv 75}}}
\\picw10\\pich10\\pngblip\\bliptag-1{\\*\\blipuid 0011223344556677}${lines(png(1))}}}
two {\\pict\\jpegblip ${lines(JPEG)}}\\par}`;
    expect(await imagesIn(rtf)).toEqual([
      ['image-1.png', 'image/png', base64(png(1))],
      ['image-2.jpg', 'image/jpeg', base64(JPEG)],
    ]);
    expect((await parsed(rtf)).text).toBe('One two \n');
    expect((await parsed(rtf, { images: false })).images).toEqual([]);
  });

  it('are read from binary data, which may contain braces', async () => {
    const image = Buffer.concat([png(1), Buffer.from('}}{\\par \\bin5')]);
    const rtf = Buffer.concat([
      Buffer.from(`{\\rtf1 {\\pict\\pngblip\\bin${image.length} `),
      image,
      Buffer.from('}after\\par}'),
    ]);
    expect(await imagesIn(rtf)).toEqual([['image-1.png', 'image/png', base64(image)]]);
    expect((await parsed(rtf)).text).toBe('after\n');
  });

  it('are bitmaps too, as BMP files', async () => {
    const [[name, type, content] = []] = await imagesIn(`{\\rtf1 {\\pict\\dibitmap0 ${lines(BITMAP)}}}`);
    expect([name, type]).toEqual(['image-1.bmp', 'image/bmp']);
    expect(Buffer.from(content ?? '', 'base64').subarray(14)).toEqual(BITMAP);
  });

  it('are not metafiles, copies for old readers, and the same picture again', async () => {
    const picture = `{\\pict\\pngblip ${lines(png(1))}}`;
    const rtf = `{\\rtf1 {\\pict\\wmetafile8 ${lines(png(2))}}{\\pict\\emfblip ${lines(png(3))}}{\\pict ${lines(png(4))}}
{\\*\\shppict${picture}}{\\nonshppict{\\pict\\pngblip ${lines(png(5))}}}
{\\shp{\\*\\shpinst{\\sp{\\sn pib}{\\sv ${picture}}}}{\\shprslt{\\pict\\pngblip ${lines(png(6))}}}}}`;
    expect(await imagesIn(rtf)).toEqual([['image-1.png', 'image/png', base64(png(1))]]);
  });

  it('fail the document if they have more bytes than files may expand to', async () => {
    const rtf = `{\\rtf1 ${`{\\pict\\pngblip ${lines(png(1))}}`.repeat(100)}}`;
    const { problem } = await parsed(rtf, { maxExpandedBytes: 5000 });
    expect(problem).toEqual({ kind: 'too large', message: 'it expands to more than 5000 bytes' });
  });

  it('never end the process or hang, for any groups', async () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '\\pict',
      '\\pngblip ',
      '\\dibitmap0 ',
      '\\bin',
      '\\bin9 ',
      '89504e470d0a1a0a',
      'zz',
      '\\*',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part), async (parts) => {
        const rtf = `{\\rtf1 ${parts.join('')}`;
        const { problem, images, text } = await parsed(rtf);
        const hasBinary = parts.some((one) => one.startsWith('\\bin'));
        if (!hasBinary) expect(problem).toBe(undefined);
        if (problem !== undefined) expect(problem).toMatchObject({ kind: 'damaged', message: TRUNCATED });
        expect(images.length).toBeLessThanOrEqual(parts.length);
        // Looking for images does not change the text.
        expect((await parsed(rtf, { images: false })).text).toBe(text);
      }),
    );
  });
});

it('an RTF file whose binary data is longer than the file is damaged, and keeps the text before it', async () => {
  expect(await parsed('{\\rtf1 hello\\par {\\pict\\pngblip\\bin500 abc}}')).toMatchObject({
    text: 'hello\n',
    images: [],
    problem: { kind: 'damaged', message: TRUNCATED },
  });
});
