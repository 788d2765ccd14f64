import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { excelFile } from '../testing/excel-file.ts';
import { parsed } from '../testing/parsed.ts';
import { pdfOf } from '../testing/pdf-of.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Returns a PDF file with these contents of pages. They may draw the image /I, and write with the font /F. */
function pdfWith(...pages: string[]): Buffer {
  const first = 5;
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ');
  return pdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [ ${kids} ] /MediaBox [ 0 0 200 200 ] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    '<< /Type /XObject /Subtype /Image /Width 8 /Height 1 /ImageMask true /BitsPerComponent 1 /Length 1 >>\nstream\nA\nendstream',
    ...pages.flatMap((content, i) => [
      `<< /Type /Page /Parent 2 0 R /Resources << /Font << /F 3 0 R >> /XObject << /I 4 0 R >> >> /Contents ${first + 1 + 2 * i} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ]);
}

const IMAGE = 'q 100 0 0 100 0 0 cm /I Do Q';
const TEXT = 'BT /F 12 Tf 20 100 Td (Some text) Tj ET';
const OUTLINES = '10 10 m 20 20 l 30 10 l f '.repeat(50);

const mail = (type: string, body: string) =>
  `From: a@example.org\nTo: b@example.org\nSubject: s\nMIME-Version: 1.0\nContent-Type: ${type}\n\n${body}`;

it.each([
  ['no bytes', Buffer.alloc(0), 'text.empty'],
  ['only white space', Buffer.from(' \n\n\t\n'), 'text.empty'],
  ['a page without anything', pdfWith(''), 'text.empty'],
  ['a workbook with an empty sheet', excelFile('<sheetData/>'), 'text.empty'],
  ['a mail without a text', Buffer.from(mail('text/plain', '')), 'text.empty'],
  ['a page with an image', pdfWith(IMAGE), 'text.onlyImages'],
  ['a page whose letters are shapes', pdfWith('', OUTLINES), 'text.onlyImages'],
  ['an image', PNG, 'text.onlyImages'],
  ['an archive of an image', zipOf([{ name: 'scan.png', content: PNG }]), 'text.onlyImages'],
  [
    'a workbook with an image',
    excelFile('<sheetData/>', [{ name: 'xl/media/a.png', content: PNG }]),
    'text.onlyImages',
  ],
  ['bytes of an unknown type', Buffer.from([0, 1, 2, 3]), 'text.unsupported'],
  ['an archive with an unknown file', zipOf([{ name: 'a.bin', content: Buffer.from([0, 1, 2]) }]), 'text.unsupported'],
])('reports a file with %s', async (_, content, code) => {
  for (const images of [false, true]) {
    const { text, missing, notices, problem } = await parsed(content, { images, format: 'markdown' });
    expect({ missing, codes: notices.map((one) => one.code), problem }).toEqual({ missing: code, codes: [code] });
    expect(text).not.toContain('<!--');
  }
});

it('names the type of a file inside a mail that no reader knows', async () => {
  const part =
    '--x\nContent-Type: text/plain\n\nHello\n--x\nContent-Type: application/x-a\nContent-Disposition: attachment; filename="a.bin"\nContent-Transfer-Encoding: base64\n\nAAECAw==\n--x--\n';
  const { text, missing, notices } = await parsed(mail('multipart/mixed; boundary=x', part));
  expect({ text, missing, notices }).toEqual({
    text: 'Hello\na.bin\n',
    notices: [{ code: 'text.unsupported', count: 1, example: 'a.bin: application/octet-stream' }],
  });
});

it('treats an archive without any readable file as a file that cannot be read', async () => {
  const archive = zipOf([{ name: 'a.txt', content: 'a text' }]);
  const flags = archive.indexOf('PK\x01\x02') + 8;
  archive.writeUInt16LE(archive.readUInt16LE(flags) | 1, flags);
  const { problem, notices } = await parsed(archive);
  expect(problem?.message).toBe('a.txt: it is encrypted');
  expect(notices).toEqual([{ code: 'text.unreadable', count: 1, example: 'a.txt: it is encrypted' }]);
});

it('names the pages that have only an image among pages with text', async () => {
  const { notices, missing } = await parsed(pdfWith(TEXT, IMAGE, TEXT, IMAGE), { images: false });
  expect(missing).toBeUndefined();
  expect(notices).toEqual([{ code: 'text.imagePages', count: 2, example: 'pages 2, 4' }]);
  expect((await parsed(pdfWith(TEXT, '', TEXT), { images: false })).notices).toEqual([]);
});

it('removes characters that no text has from text, metadata and names', async () => {
  const info = '<< /Producer (Canon\\000) >>';
  const pdf = Buffer.from(
    pdfWith(TEXT).toString('latin1').replace('/Root 1 0 R', `/Root 1 0 R /Info ${info}`),
    'latin1',
  );
  const { metadata, notices } = await parsed(pdf);
  expect(new Map(metadata).get('pdf:producer')).toEqual(['Canon']);
  expect(notices).toMatchObject([{ code: 'text.controls', example: 'U+0000 in pdf:producer' }]);
  const page = await parsed('<html><p>a&#1;b\u0007c\x85d\ufffe\u007f</p></html>', {
    contentType: 'text/html; charset=utf-8',
  });
  expect(page.text).toBe('abc…d\n'.replace('…', '\n'));
  expect(page.notices).toMatchObject([{ code: 'text.controls' }]);
  expect((await parsed('one\ftwo\n')).text).toBe('one\ntwo\n');
  const log = 'A line of a log.\n'.repeat(20);
  expect(await parsed(`${log}\0\0end\n`)).toMatchObject({
    text: `${log}end\n`,
    notices: [{ code: 'text.controls', count: 2 }],
  });
});

it('cuts no character in two at the limit of the text', async () => {
  expect((await parsed('ab😀', { maxCharacters: 3 })).text).toBe('ab');
});
