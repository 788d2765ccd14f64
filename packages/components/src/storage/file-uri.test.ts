import { pathToFileURL } from 'node:url';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEscapes, localFileUri, parseConfigUri, parseFileUri, s3ObjectUri } from './file-uri.ts';

const segment = unicodeText({ minLength: 1, maxLength: 8 }).filter((text) => !/[\0/]|^\.\.?$/.test(text));
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);

describe('file URIs', () => {
  it('file URIs are parsed back to the same path, with any characters in it', () => {
    fc.assert(
      fc.property(path, (path) => {
        const uri = localFileUri(path);
        expect(parseFileUri(uri)).toEqual({ scheme: 'file', authority: '', path });
        expect(parseConfigUri(uri)).toEqual({ scheme: 'file', authority: '', path });
        expect(uri).toMatch(/^file:\/\/\/[A-Za-z0-9\-_.!~*'():@&=+$,;/%]+$/);
        const key = path.slice(1);
        expect(parseFileUri(s3ObjectUri('b', key))).toEqual({ scheme: 's3', authority: 'b', path });
      }),
    );
  });

  it('file URIs equal those of other tools for plain names', () => {
    for (const path of ['/a/b.txt', '/ü/日', '/a b%c', '/x?y#z']) {
      expect(localFileUri(path)).toBe(pathToFileURL(path).href);
    }
    expect(s3ObjectUri('b', 'ü/a b%20[1].txt')).toBe('s3://b/ü/a%20b%2520%5B1%5D.txt');
  });

  it('file URIs are distinguished from paths', () => {
    expect(parseFileUri('/a/./b/../c%20')).toEqual({ scheme: 'file', authority: '', path: '/a/c%20' });
    expect(parseFileUri('rel').path).toBe(`${process.cwd()}/rel`);
    expect(parseFileUri('FILE:///a%20b')).toEqual({ scheme: 'file', authority: '', path: '/a b' });
    expect(parseFileUri('file://localhost/a').path).toBe('/a');
    expect(parseFileUri('https://acc.blob.core.windows.net/c/ü%20x')).toEqual({
      scheme: 'https',
      authority: 'acc.blob.core.windows.net',
      path: '/c/ü x',
    });
    expect(parseFileUri('C:\\x').scheme).toBe('file');
    expect(parseFileUri('C:/x').scheme).toBe('c');
    expect(() => parseFileUri('file:x')).toThrow('no absolute path');
  });

  it('file URIs in configs are parsed strictly', () => {
    expect(parseConfigUri('/a%20b')).toEqual({ scheme: 'file', authority: '', path: '/a b' });
    for (const text of ['/a b', '', 'x\\y', '/a%2', 's3://b/<k>', 'file:x', '/a"b']) {
      expect(parseConfigUri(text), text).toHaveProperty('mistake');
    }
    expect(parseConfigUri('/ü')).toEqual({ scheme: 'file', authority: '', path: '/ü' });
  });

  it('file URIs keep percent signs that are not an escape', () => {
    expect(decodeEscapes('100%-%41%ff')).toBe('100%-A\ufffd');
  });
});
