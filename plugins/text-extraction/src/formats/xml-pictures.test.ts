import { describe, expect, it } from 'vitest';
import { imagesIn, parsed } from '../testing/parsed.ts';
import { JPEG, png } from '../testing/pictures.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const images = [
  ['image-1.png', 'image/png', base64(png(1))],
  ['image-2.jpg', 'image/jpeg', base64(JPEG)],
];
const lines = (bytes: Uint8Array) => base64(bytes).replaceAll(/.{20}/g, '$&\n');

describe('the images of a document in one XML file', () => {
  it('are read from OpenDocument', async () => {
    const image = (bytes: Uint8Array) =>
      `<text:p>scan<draw:image><office:binary-data>${lines(bytes)}</office:binary-data></draw:image></text:p>`;
    const file = `<office:document xmlns:office="o" xmlns:text="t" xmlns:draw="d" office:mimetype="application/vnd.oasis.opendocument.text"><office:body>
      ${image(png(1))}${image(JPEG)}${image(png(1))}</office:body></office:document>`;
    expect(await imagesIn(file)).toEqual(images);
    expect(await parsed(file, { images: false })).toMatchObject({ text: 'scan\nscan\nscan\n', images: [] });
  });

  it('are read from Word 2003 and later', async () => {
    const file = `<?xml version="1.0"?><pkg:package xmlns:pkg="p" xmlns:w="w"><w:t>text</w:t>
      <w:binData w:name="1">${lines(png(1))}</w:binData><pkg:binaryData>${lines(JPEG)}</pkg:binaryData>
      <w:binData w:name="oledata.mso">${base64(Buffer.from('no image'))}</w:binData></pkg:package>`;
    expect(await imagesIn(file)).toEqual(images);
  });

  it('are read up to where the file is damaged, which is reported', async () => {
    const file = `<?xml version="1.0"?><w:document xmlns:w="w"><w:binData>${base64(png(1))}</w:binData><w:binData>iVBORw0KGgo`;
    const { images: found, problem } = await parsed(file);
    expect(found.map(({ name }) => name)).toEqual(['image-1.png']);
    expect(problem?.kind).toBe('damaged');
  });
});
