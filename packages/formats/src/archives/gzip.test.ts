import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { gunzipped } from './gzip.ts';

async function* pieces(bytes: Uint8Array, size: number) {
  // All chunks use the same buffer, as in real sources.
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    memory.set(part);
    yield memory.subarray(0, part.length);
  }
}

async function unpack(bytes: Uint8Array, size = bytes.length) {
  const content: Uint8Array[] = [];
  let rest = false;
  let error: string | undefined;
  try {
    for await (const piece of gunzipped(pieces(bytes, size), () => {
      rest = true;
    })) {
      content.push(Buffer.from(piece));
    }
  } catch (thrown) {
    error = (thrown as Error).message;
  }
  return { content: Buffer.concat(content), rest, error };
}

const SIZES = [1, 7, 100, 100_000];
const text = Buffer.from('a line of text\n'.repeat(500));
const zeros = Buffer.alloc(600);

describe('a gzip file', () => {
  it.each([
    ['nothing', Buffer.alloc(0), false],
    ['zeros', zeros, false],
    ['garbage', Buffer.from('garbage'), true],
    ['zeros and garbage', Buffer.concat([zeros, Buffer.from('garbage')]), true],
    ['half a mark of gzip', Buffer.from([0x1f]), true],
  ])('a gzip file returns its content with %s after it', async (_, after, rest) => {
    for (const size of SIZES) {
      const bytes = Buffer.concat([gzipSync(text), gzipSync('more'), after]);
      expect(await unpack(bytes, size)).toEqual({
        content: Buffer.concat([text, Buffer.from('more')]),
        rest,
        error: undefined,
      });
    }
  });

  it('a gzip file returns its complete content at any size', async () => {
    const large = randomBytes(1_000_000);
    const packed = Buffer.concat([gzipSync(large), Buffer.from('garbage')]);
    for (const size of [65_536, packed.length]) {
      const { content, rest } = await unpack(packed, size);
      expect([content.equals(large), rest]).toEqual([true, true]);
    }
  });

  it('a gzip file returns small and large members in order', async () => {
    const members = Array.from({ length: 60 }, (_, i) => randomBytes(i % 7 === 5 ? 50_000 : i * 37));
    const packed = Buffer.concat([...members.map((member) => gzipSync(member)), Buffer.from('garbage')]);
    for (const size of [1000, 100_000, packed.length]) {
      const { content, rest, error } = await unpack(packed, size);
      expect([content.equals(Buffer.concat(members)), rest, error]).toEqual([true, true, undefined]);
    }
    const small = Buffer.concat([gzipSync('a'), gzipSync(text), gzipSync(text)]);
    expect((await unpack(small.subarray(0, -20))).error).toBe('it is truncated: unexpected end of file');
    small[small.length - 30] = (small[small.length - 30] as number) ^ 1;
    expect((await unpack(small)).error).toBeDefined();
  });

  it('a gzip file is read with a name, a comment and other parts in its header', async () => {
    const plain = gzipSync(text);
    const header = Buffer.from(plain.subarray(0, 10));
    header[3] = 2 | 4 | 8 | 16;
    const fields = Buffer.from('\x03\x00xyzname.txt\x00a comment\x00cc', 'latin1');
    const bytes = Buffer.concat([header, fields, plain.subarray(10)]);
    for (const size of SIZES) expect((await unpack(bytes, size)).content).toEqual(text);
    expect((await unpack(bytes.subarray(0, 20))).error).toContain('truncated');
  });

  it('a truncated gzip file is reported at any position, after the content before it', async () => {
    const bytes = gzipSync(text);
    for (let end = 2; end < bytes.length; end++) {
      const { content, error } = await unpack(bytes.subarray(0, end));
      expect(error).toBe('it is truncated: unexpected end of file');
      expect(content.equals(text.subarray(0, content.length))).toBe(true);
    }
    expect((await unpack(Buffer.concat([bytes, bytes.subarray(0, 30)]))).error).toContain('truncated');
  });

  it('a damaged gzip file and a file of another format are rejected', async () => {
    const bytes = gzipSync(text);
    const change = (at: number) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      return unpack(changed);
    };
    expect((await change(bytes.length - 1)).error).toBe('it is damaged: its checksum is wrong');
    expect((await change(bytes.length - 5)).error).toBe('it is damaged: its checksum is wrong');
    expect((await change(2)).error).toBe('it uses compression method 9, which is not supported');
    expect((await change(0)).error).toContain('it is not compressed with gzip');
    expect((await unpack(Buffer.alloc(0), 1)).error).toContain('it is empty');
  });
});
