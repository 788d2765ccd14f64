import { zipOf } from '@headrace/testing/archives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imagesIn, parsed } from '../testing/parsed.ts';
import { JPEG, png } from '../testing/pictures.ts';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const link = (bytes: Uint8Array, type = 'image/png') => `data:${type};base64,${base64(bytes)}`;
const percent = (bytes: Uint8Array) =>
  `data:image/png,${[...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')}`;
const page = (body: string) => `<html><body>${body}</body></html>`;
/** The images of a page as its numbers of PNG files. */
const widthsIn = async (html: string) => {
  const known = new Map(Array.from({ length: 9 }, (_, i) => [base64(png(i)), i]));
  return (await imagesIn(html)).map(([, , content]) => known.get(content ?? ''));
};

describe('the images of an HTML file', () => {
  it('are read from links with data, in base64 or percent-encoded, in the order of the page', async () => {
    const html = page(`<p>One <img alt="a scan" src="${link(png(1))}"><table><tr><td background="${link(png(2))}">two
      <img src=' DATA:image/jpeg;charset=x;BASE64,${encodeURIComponent(base64(JPEG))}'></table>
      <object data="${percent(png(3))}"><img src="${link(png(4))}"></object>
      <svg><image href="${link(png(5))}"/><image xlink:href="${link(png(6))}"/></svg><input type=image src="${link(png(7))}">`);
    expect((await imagesIn(html)).map(([name]) => name)).toEqual([
      'image-1.png',
      'image-2.png',
      'image-3.jpg',
      'image-4.png',
      'image-5.png',
      'image-6.png',
      'image-7.png',
    ]);
    expect(await widthsIn(html)).toEqual([1, 2, undefined, 3, 5, 6, 7]);
    expect((await parsed(html)).text).toContain('a scan');
    expect((await parsed(html, { images: false })).images).toEqual([]);
  });

  it('are one of several versions of a picture', async () => {
    const versions = `${link(png(2))} 1x, ${link(png(3))} 2x`;
    const html = page(`<img src="${link(png(1))}" srcset="${versions}"><img src="a.png" srcset="${versions}">
      <picture><source srcset="${link(png(4))}"><img src="${link(png(5))}"></picture>
      <picture><source srcset="${link(png(6))} 600w"><source srcset="${link(png(7))}"><img src="b.png"></picture>`);
    expect(await widthsIn(html)).toEqual([1, 2, 5, 6]);
  });

  it('are not the same picture again, drawings, and links to other files', async () => {
    const html =
      page(`<img src="${link(png(1))}"><img src="${link(png(1))}"><iframe srcdoc='<img src="${link(png(1))}">'></iframe>
      <img src="data:image/svg+xml,%3Csvg/%3E"><img src="data:image/png;base64,"><img src="data:image/png"><img src="data:,x">
      <img src="https://example.org/${base64(png(2))}"><a href="${link(png(3))}">link</a>`);
    expect(await widthsIn(html)).toEqual([1]);
  });

  it('are read in pages inside a mail, a book and a frame', async () => {
    const html = page(`<iframe srcdoc='<img src="${link(png(1))}">'></iframe>`);
    const mail = (parts: string) =>
      `From: a@example.org\nTo: b@example.org\nSubject: s\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=x\n\n${parts}--x--\n`;
    const htmlPart = `--x\nContent-Type: text/html\n\n${page(`<img src="${link(png(1))}">`)}\n`;
    const container = '<container><rootfile full-path="book.opf"/></container>';
    const opf =
      '<package><manifest><item id="c" href="c.xhtml"/><item id="d" href="d.xhtml"/></manifest><spine><itemref idref="c"/><itemref idref="d"/></spine></package>';
    const book = zipOf([
      { name: 'mimetype', content: 'application/epub+zip', method: 0 },
      { name: 'META-INF/container.xml', content: container },
      { name: 'book.opf', content: opf },
      { name: 'c.xhtml', content: page(`<img src="${link(png(1))}">`) },
      { name: 'd.xhtml', content: page(`<img src="${link(png(1))}">`) },
    ]);
    for (const file of [html, mail(htmlPart), mail(`--x\nContent-Type: text/plain\n\ntext\n${htmlPart}`), book]) {
      expect(await imagesIn(file)).toEqual([['image-1.png', 'image/png', base64(png(1))]]);
    }
  });

  it('fail the document if they have more bytes than files may expand to', async () => {
    const { problem } = await parsed(page(`<img src="${link(png(1))}">`.repeat(100)), { maxExpandedBytes: 5000 });
    expect(problem).toEqual({ kind: 'too large', message: 'it expands to more than 5000 bytes' });
  });

  it('never end the process or hang, for any links', async () => {
    const part = fc.constantFrom(
      'data:',
      'image/png',
      ';',
      'base64',
      ',',
      ' ',
      '%',
      '%4',
      '%zz',
      '=',
      link(png(1)),
      '\0',
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('src', 'srcset'), fc.array(part), async (name, parts) => {
        const { problem, images } = await parsed(page(`<img ${name}="${parts.join('')}">`));
        expect(problem).toBe(undefined);
        expect(images.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
