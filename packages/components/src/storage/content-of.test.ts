import { Document, readDocument } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { contentOf } from './content-of.ts';
import { Storages } from './storages.ts';

const read = (fields: object) =>
  contentOf(
    readDocument(JSON.stringify({ id: '1', ...fields })),
    { pathField: undefined, bytesField: 'bytes' },
    new Storages({}),
    1000,
  );

describe('contentOf', () => {
  it('returns bytes, and decodes base64 text with line breaks', async () => {
    const document = Document.create('1');
    document.set('bytes', Uint8Array.of(1, 2));
    const fields = { pathField: undefined, bytesField: 'bytes' };
    expect(await contentOf(document, fields, new Storages({}), 1000)).toEqual(Uint8Array.of(1, 2));
    expect(await read({ bytes: 'AQ\n==\n' })).toEqual(Buffer.of(1));
  });

  it('reads the file at a path, up to a limit', async () => {
    const document = readDocument(JSON.stringify({ id: '1', path: import.meta.filename }));
    const fields = { pathField: 'path', bytesField: undefined };
    const content = await contentOf(document, fields, new Storages({}), 10_000);
    expect(Buffer.from(content ?? []).toString()).toContain('reads the file at a path');
    await expect(contentOf(document, fields, new Storages({}), 10)).rejects.toThrow();
    expect(await contentOf(Document.create('2'), fields, new Storages({}), 10)).toBe(undefined);
  });

  it('refuses text that is not base64, and values without bytes', async () => {
    await expect(read({ bytes: 'no base64!' })).rejects.toThrow('The field bytes is not base64 text');
    await expect(read({ bytes: 5 })).rejects.toThrow('The field bytes has no bytes');
  });
});
