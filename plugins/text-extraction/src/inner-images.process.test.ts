import { readFileSync } from 'node:fs';
import { runStage } from '@headrace/engine/testing';
import { zipOf } from '@headrace/testing/archives';
import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { excelFile } from './testing/excel-file.ts';
import { folder } from './testing/extract.ts';
import { powerPoint97File } from './testing/ole-files.ts';
import { pictureRecord } from './testing/pictures.ts';
import { TextExtractor } from './text-extractor.ts';

const image = PNG.sync.write(new PNG({ width: 2, height: 1 }));
const CONTENT_TYPES = { name: '[Content_Types].xml', content: '<Types/>' };
const slides = { name: 'ppt/presentation.xml', content: '<p/>' };
const document = { name: 'word/document.xml', content: '<w:document xmlns:w="w"/>' };
const mimetype = (content: string) => ({ name: 'mimetype', content, method: 0 });
const text = 'application/vnd.oasis.opendocument.text';

/** A book whose images are not in the folders of Office files. */
const book = [
  mimetype('application/epub+zip'),
  { name: 'META-INF/container.xml', content: '<container><rootfile full-path="OEBPS/book.opf"/></container>' },
  {
    name: 'OEBPS/book.opf',
    content: `<package><manifest><item id="c" href="one.xhtml" media-type="application/xhtml+xml"/>
      <item id="i" href="images/a%20b.png" media-type="image/png"/>
      <item id="v" href="images/logo.svg" media-type="image/svg+xml"/></manifest><spine><itemref idref="c"/></spine></package>`,
  },
  { name: 'OEBPS/one.xhtml', content: '<html><body><p>One</p></body></html>' },
  { name: 'OEBPS/images/a b.png', content: image },
  { name: 'OEBPS/images/logo.svg', content: '<svg/>' },
];

const mail = `From: a@example.org
To: b@example.org
Subject: A scan
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/plain

See the scan.
--x
Content-Type: image/png
Content-Disposition: attachment; filename=scan.png
Content-Transfer-Encoding: base64

${image.toString('base64')}
--x--
`;

const page = `<html><body>A scan: <img src="data:image/png;base64,${image.toString('base64')}"></body></html>`;
const rtf = `{\\rtf1 {\\pict\\pngblip ${image.toString('hex')}}}`;
const old = powerPoint97File('Title', 'Box', pictureRecord('png', image));

const inWorkbook = excelFile('<sheetData/>', [{ name: 'xl/media/image1.png', content: image }]);

it.each<[string, Buffer, string]>([
  [
    'a Word file',
    zipOf([CONTENT_TYPES, document, { name: 'word/media/image1.png', content: image }]),
    'word/media/image1.png',
  ],
  ['a workbook', inWorkbook, 'xl/media/image1.png'],
  ['slides', zipOf([CONTENT_TYPES, slides, { name: 'ppt/media/image1.png', content: image }]), 'ppt/media/image1.png'],
  [
    'an OpenDocument file',
    zipOf([
      mimetype(text),
      { name: 'content.xml', content: '<office:document-content xmlns:office="o"/>' },
      { name: 'Pictures/1.png', content: image },
    ]),
    'Pictures/1.png',
  ],
  ['a book', zipOf(book), 'OEBPS/images/a b.png'],
  ['an archive', zipOf([{ name: 'scans/a.png', content: image }]), 'scans/a.png'],
  ['a mail', Buffer.from(mail), 'scan.png'],
  ['a web page', Buffer.from(page), 'image-1.png'],
  ['an RTF file', Buffer.from(rtf), 'image-1.png'],
  ['old slides', old, 'image-1.png'],
  ['old slides in an archive', zipOf([{ name: 'a.ppt', content: old }]), 'image-1.png'],
  ['a workbook in an archive', zipOf([{ name: 'a.xlsx', content: inWorkbook }]), 'xl/media/image1.png'],
])('makes a child of the image in %s', async (_, file, name) => {
  const params = { byteArrayField: 'bytes', emitImages: true, onError: 'fail' };
  const [outcome] = await runStage(TextExtractor, params, [{ id: '1', bytes: file.toString('base64') }]);
  expect(outcome?.error).toBe(undefined);
  expect(outcome?.documents.slice(0, -1).map((child) => JSON.parse(child))).toEqual([
    {
      id: '1-image-1',
      parent_id: '1',
      file_name: name,
      media_type: 'image/png',
      file_content: image.toString('base64'),
    },
  ]);
});

it('numbers the images of a PDF file in an archive', async () => {
  const content = readFileSync(`${folder}images.pdf`);
  const document = { id: '1', bytes: zipOf([{ name: 'a.pdf', content }]).toString('base64') };
  const [outcome] = await runStage(TextExtractor, { byteArrayField: 'bytes', emitImages: true }, [document]);
  const names = outcome?.documents.slice(0, -1).map((child) => JSON.parse(child).file_name);
  expect(names).toEqual(['image-1.png', 'image-2.png', 'image-3.png']);
});
