import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { runStage } from '@headrace/engine/testing';
import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { excelFile } from './testing/excel-file.ts';
import { pdfOf } from './testing/pdf-of.ts';
import { TextExtractor } from './text-extractor.ts';

/** Returns the start of a file of the tests. */
function cut(name: string): Buffer {
  const whole = readFileSync(new URL(`./testing/files/${name}`, import.meta.url));
  return whole.subarray(0, whole.length / 2);
}

function nested(depth: number, pack: (inner: Buffer, number: number) => Buffer): Buffer {
  return Array.from({ length: depth }).reduce<Buffer>((inner, _, number) => pack(inner, number), Buffer.from('text'));
}

/** Returns a mail with parts inside parts. Without a number, all parts have the boundary of the first, as in a loop. */
function mailOf(depth: number, boundary: (number: number) => string): string {
  const header = (number: number) => `Content-Type: multipart/mixed; boundary=${boundary(number)}\n\n`;
  const parts = Array.from({ length: depth }, (_, i) => `--${boundary(i)}\n${header(i + 1)}`);
  return `From: a@example.org\nSubject: s\nMIME-Version: 1.0\n${header(0)}${parts.join('')}--${boundary(depth)}\n\ntext`;
}

const ROOT = '<< /Type /Catalog /Pages 2 0 R >>';
const PAGE = '<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>';
const CONTENT = '<< /Length 2147483648 >>\nstream\nBT /F 12 Tf 20 100 Td (Page one) Tj ET\nendstream';
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
const pages = (count: number) => `<< /Type /Pages /Count ${count} /Kids [3 0 R] /MediaBox [0 0 200 200] >>`;
const cell = (place: string) =>
  `<sheetData><row r="${/\d+/.exec(place)}"><c r="${place}"><v>7</v></c></row></sheetData>`;
const table = (part: string) =>
  `<office:document-content xmlns:office="o" xmlns:text="t">${part}</office:document-content>`;

const REASON = 'tika_x_tika_exception_embedded_exception';

/** Each file, and what its document gets. No document may prevent the next one, which is read with the same stage. */
const FILES: readonly (readonly [string, Buffer | string, Record<string, unknown>])[] = [
  [
    'a zip file that expands to more than its entry states',
    zipOf([{ name: 'a.txt', content: Buffer.alloc(64 * 1024 * 1024), size: 1 }]),
    { text: '', [REASON]: expect.stringContaining('a.txt has more bytes than the 1 of its directory entry') },
  ],
  [
    'a zip file that expands to less than its entry states',
    zipOf([{ name: 'a.txt', content: 'some text', size: 10 }]),
    { text: '', [REASON]: expect.stringContaining('a.txt has fewer bytes than the 10 of its directory entry') },
  ],
  [
    'a zip file whose entry states four gigabytes',
    zipOf([{ name: 'a.txt', content: 'some text', size: 0xffff_fff0 }]),
    { error: 'The file cannot be parsed: it expands to more than 8388608 bytes (maxExpandedMb)' },
  ],
  [
    'a Word file that expands to more than the limit',
    zipOf([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name: 'word/document.xml', content: Buffer.alloc(9 * 1024 * 1024, ' ') },
    ]),
    { error: 'The file cannot be parsed: it expands to more than 8388608 bytes (maxExpandedMb)' },
  ],
  [
    'gzip in gzip, 50 deep',
    nested(50, (inner) => gzipSync(inner)),
    { [REASON]: 'embedded file: it is inside more than 8 other files' },
  ],
  [
    'zip in zip, 50 deep',
    nested(50, (content, number) => zipOf([{ name: `${number}.zip`, content }])),
    { [REASON]: '41.zip: it is inside more than 8 other files' },
  ],
  [
    'a PDF file with a loop in the tree of its pages',
    pdfOf([ROOT, pages(2), '<< /Type /Pages /Parent 2 0 R /Count 2 /Kids [2 0 R] >>']),
    { problem: 'The file cannot be read: Pages tree contains circular reference.' },
  ],
  [
    'a PDF file that states two billion pages, and two gigabytes for a stream',
    pdfOf([ROOT, pages(2_000_000_000), PAGE, CONTENT, FONT]),
    { text: 'Page one\n', tika_xmptpg_npages: '1' },
  ],
  ['half a PDF file', cut('pages.pdf'), { problem: 'The file cannot be read: Invalid PDF structure.' }],
  ['half a Word file', cut('word.docx'), { problem: expect.stringContaining('file is truncated') }],
  ['half an Excel file', cut('sheet.xlsx'), { problem: expect.stringContaining('file is truncated') }],
  ['an Excel file with a cell in row one billion', excelFile(cell('A1000000000')), { text: 'one\n\t7\n\n' }],
  ['an Excel file with a cell in column 300 million', excelFile(cell('ZZZZZZ1')), { text: 'one\n\t7\n\n' }],
  [
    'an Excel file with a link over all cells',
    excelFile(`${cell('A1')}<hyperlinks><hyperlink ref="A1:XFD1048576" location="x"/></hyperlinks>`),
    { text: 'one\n\t7\n\n' },
  ],
  [
    'an RTF file with 100,000 groups in groups',
    `{\\rtf1 ${'{\\b '.repeat(100_000)}text${'}'.repeat(100_001)}`,
    { text: 'text\n' },
  ],
  ['a mail with parts in parts', mailOf(5000, String), { problem: expect.stringContaining('nesting depth of 256') }],
  [
    'a mail with a loop of parts',
    mailOf(5000, () => 'x'),
    { problem: expect.stringContaining('nesting depth of 256') },
  ],
  [
    'a mail with 20,000 attachments',
    `From: a@example.org\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n${'--x\nContent-Type: a/b\n\nt\n'.repeat(20_000)}--x--\n`,
    { text: 't\n'.repeat(20_000) },
  ],
  ['HTML with 100,000 tags in tags', `<html><body>${'<div>'.repeat(100_000)}text`, { text: 'text\n' }],
  [
    'an OpenDocument file with 100,000 sections in sections',
    zipOf([
      { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
      {
        name: 'content.xml',
        content: table(`${'<text:section>'.repeat(100_000)}<text:p>text</text:p>${'</text:section>'.repeat(100_000)}`),
      },
    ]),
    { text: 'text\n' },
  ],
];

it('fails only the documents of hostile files, or reads what they have', async () => {
  const files = FILES.flatMap(([name, content]) => [
    { id: name, bytes: Buffer.from(content as string).toString('base64') },
    { id: `after ${name}`, bytes: Buffer.from('good').toString('base64') },
  ]);
  const params = { byteArrayField: 'bytes', errorField: 'problem', maxExpandedMb: 8 };
  const outcomes = await runStage(TextExtractor, params, files);
  const found = outcomes.map(({ error, documents }) => ({ error, ...JSON.parse(documents[0] ?? '{}') }));
  for (const [i, [id, , document]] of FILES.entries()) {
    expect(found[2 * i]).toMatchObject('error' in document ? document : { id, error: undefined, ...document });
    expect(found[2 * i + 1]).toMatchObject({ id: `after ${id}`, text: 'good\n' });
  }
});

it('fails the document of an enormous file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-enormous-'));
  try {
    const path = join(folder, 'enormous.pdf');
    writeFileSync(path, '');
    truncateSync(path, 256 * 1024 * 1024 + 1);
    const [outcome] = await runStage(TextExtractor, { filePathField: 'path' }, [{ id: '1', path }]);
    expect(outcome?.error).toBe(
      `The file cannot be read: ${path} has more than 268435456 bytes, too many for one field`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
