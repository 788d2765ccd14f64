import { zipOf } from '@headrace/testing/archives';
import { expect, it } from 'vitest';
import { parsed } from '../testing/parsed.ts';

const OPEN_DOCUMENT = 'urn:oasis:names:tc:opendocument:xmlns:office:1.0';
const BODY = '<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>hello</w:t></w:r></w:p></w:body></w:document>';

/** Files in which a name is the author's choice. */
const FILES: Readonly<Record<string, (name: string) => string | Buffer>> = {
  'an element of a page': (name) => `<html><body><${name}>hello</${name}></body></html>`,
  'the metadata of a page': (name) => `<html><head><meta name="${name}" content="x"></head><body>hello</body></html>`,
  'a control word of RTF': (name) => `{\\rtf1\\ansi\\${name}5 hello\\par}`,
  'a group of RTF': (name) => `{\\rtf1\\ansi{\\info{\\${name} }}hello\\par}`,
  'the metadata of an OpenDocument file': (name) =>
    `<?xml version="1.0"?><office:document xmlns:office="${OPEN_DOCUMENT}" xmlns:meta="m" xmlns:text="t" office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><meta:${name}>x</meta:${name}><meta:document-statistic meta:${name}="4"/></office:meta><office:body><office:text><text:p>hello</text:p></office:text></office:body></office:document>`,
  'the properties of a Word file': (name) =>
    zipOf([
      { name: '[Content_Types].xml', content: '<Types/>' },
      { name: 'word/document.xml', content: BODY },
      { name: 'docProps/app.xml', content: `<Properties><${name}>x</${name}></Properties>` },
    ]),
};
const NAMES = ['constructor', 'hasOwnProperty', 'isPrototypeOf', 'toLocaleString', 'toString', 'valueOf'];

it.each(Object.entries(FILES))('%s may have the name of a method of all objects', async (_, fileWith) => {
  for (const name of NAMES) {
    const { text, problem, metadata } = await parsed(fileWith(name));
    expect([text, problem]).toEqual(['hello\n', undefined]);
    expect(metadata.every(([key]) => typeof key === 'string')).toBe(true);
  }
});
