import { readFileSync } from 'node:fs';
import { type ZipFixture, zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';

const BODY = '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>hello</w:t></w:r></w:p></w:body></w:document>';
const WRONG = { crc: 1 };

/** A Word file, with other values in the header of its text. */
const word = (values: Partial<ZipFixture>) =>
  zipOf([
    { name: '[Content_Types].xml', content: '<Types/>' },
    { name: 'word/document.xml', content: BODY, ...values },
  ]);

it.each([0, 8])('an Office file with a wrong checksum is damaged (compression method %s)', async (method) => {
  const { problem } = await parsed(word({ method, ...WRONG }));
  expect(problem).toMatchObject({
    kind: 'damaged',
    message: expect.stringContaining('word/document.xml is damaged: its checksum is wrong'),
  });
  expect((await parsed(word({ method }))).text).toBe('hello\n');
});

it.each(['[Content_Types].xml', '_rels/.rels', 'xl/_rels/workbook.xml.rels', 'xl/workbook.xml'])(
  'an Excel file with a wrong checksum of %s is damaged',
  async (name) => {
    const file = readFileSync(new URL('../testing/files/sheet.xlsx', import.meta.url));
    // The last place of the name is in the directory of the file, 30 bytes after the checksum.
    const checksum = file.lastIndexOf(name) - 30;
    file.writeUInt8(file.readUInt8(checksum) ^ 1, checksum);
    const message = expect.stringContaining(`${name} is damaged: its checksum is wrong`);
    expect((await parsed(file)).problem).toEqual({ kind: 'damaged', message });
  },
);

it('an archive with a damaged file has the texts of the others', async () => {
  const { text, metadata } = await parsed(
    zipOf([
      { name: 'a.txt', content: 'first' },
      { name: 'b.txt', content: 'second', ...WRONG },
      { name: 'c.txt', content: 'third' },
    ]),
  );
  expect(text).toContain('first');
  expect(text).toContain('third');
  expect(text).not.toContain('second');
  expect(JSON.stringify(metadata)).toContain('b.txt is damaged: its checksum is wrong');
});
