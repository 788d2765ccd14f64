import { readFileSync } from 'node:fs';
import { zipOf } from '@headrace/testing/archives';
import { describe, expect, it } from 'vitest';
import { excelFile } from '../testing/excel-file.ts';
import { oleFile, powerPoint97File, word6File, word97File } from '../testing/ole-files.ts';
import { detectType } from './detect.ts';

const fixture = (name: string) => readFileSync(new URL(`../testing/files/${name}`, import.meta.url));
const OFFICE = 'application/vnd.openxmlformats-officedocument';
const CONTENT_TYPES = { name: '[Content_Types].xml', content: '<Types/>' };
const one = (name: string) => ({ name, content: 'x' });

const FILES: readonly (readonly [name: string, bytes: Buffer, mediaType: string, format: string | undefined])[] = [
  ['a PDF file', fixture('pages.pdf'), 'application/pdf', 'pdf'],
  ['a Word file', fixture('word.docx'), `${OFFICE}.wordprocessingml.document`, 'docx'],
  ['a workbook', fixture('sheet.xlsx'), `${OFFICE}.spreadsheetml.sheet`, 'spreadsheet'],
  ['slides', fixture('talk.pptx'), `${OFFICE}.presentationml.presentation`, 'pptx'],
  [
    'a workbook whose list of types comes last',
    zipOf([one('docProps/app.xml'), one('xl/workbook.xml'), CONTENT_TYPES]),
    `${OFFICE}.spreadsheetml.sheet`,
    'spreadsheet',
  ],
  ['an OpenDocument file', fixture('text.odt'), 'application/vnd.oasis.opendocument.text', 'odf'],
  ['a book', fixture('book.epub'), 'application/epub+zip', 'epub'],
  ['an RTF file', fixture('text.rtf'), 'application/rtf', 'rtf'],
  ['HTML', Buffer.from('<!-- x -->\n<html><body>a'), 'text/html', 'html'],
  ['a mail', fixture('mail.eml'), 'message/rfc822', 'mail'],
  ['a mailbox', Buffer.concat([Buffer.from('From a@b Thu\n'), fixture('mail.eml')]), 'application/mbox', 'mbox'],
  ['Word 6', word6File('x'), 'application/msword', 'doc'],
  ['Word 97', word97File('x', 'y'), 'application/msword', 'doc'],
  ['Excel 97', fixture('old.xls'), 'application/vnd.ms-excel', 'spreadsheet'],
  ['PowerPoint 97', powerPoint97File('x', 'y'), 'application/vnd.ms-powerpoint', 'ppt'],
  [
    'a mail of Outlook',
    oleFile({ '__properties_version1.0': Buffer.alloc(32) }),
    'application/vnd.ms-outlook',
    'outlook',
  ],
  [
    'an encrypted Office file',
    oleFile({ EncryptedPackage: Buffer.alloc(32) }),
    'application/x-tika-ooxml-protected',
    undefined,
  ],
  ['XML', Buffer.from('<?xml version="1.0"?><a>b</a>'), 'application/xml', 'xml'],
  ['plain text', Buffer.from('From here to there: a text.\n'), 'text/plain', 'text'],
  ['an archive', fixture('files.zip'), 'application/zip', 'zip'],
  ['gzip', fixture('files.tar.gz'), 'application/gzip', 'gzip'],
  [
    'an archive of Office files that are not compressed again',
    zipOf([
      { name: 'a.xlsx', content: excelFile('<sheetData/>'), method: 0 },
      { name: 'b.docx', content: fixture('word.docx'), method: 0 },
    ]),
    'application/zip',
    'zip',
  ],
];

describe('the type of a file', () => {
  it.each(FILES)('is found in the content, not in a wrong name: %s', async (_, bytes, mediaType, format) => {
    for (const name of [undefined, 'wrong.pdf', 'wrong.docx', 'wrong.txt']) {
      expect(await detectType(bytes, name, undefined)).toEqual({ mediaType, format });
    }
  });
});
