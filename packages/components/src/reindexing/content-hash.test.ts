import { describe, expect, it } from 'vitest';
import { ContentHasher, HASH_BYTES } from './content-hash.ts';
import { murmurHash } from './murmur-hash.ts';

describe('murmurHash', () => {
  const hashOf = (text: string, before = '') => {
    const bytes = Buffer.from(before + text);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const hash = new Int32Array(4);
    murmurHash(view, Buffer.byteLength(before), bytes.length, hash);
    return Array.from(hash, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  };

  it('has the values of the reference implementation', () => {
    expect(hashOf("I will not buy this tobacconist's, it is scratched.")).toBe('9b5b7ba2ef3f7866889adeaf00f3f98e');
    expect(hashOf('')).toBe('0'.repeat(32));
  });

  it('depends on each byte, wherever it is in memory', () => {
    const texts = Array.from({ length: 70 }, (_, length) => 'x'.repeat(length));
    const all = texts.flatMap((text) => [...text].map((_, i) => `${text.slice(0, i)}y${text.slice(i + 1)}`));
    const hashes = new Set([...texts, ...all].map((text) => hashOf(text)));
    expect(hashes.size).toBe(texts.length + all.length);
    for (const text of texts) for (const before of ['1', '12', '123']) expect(hashOf(text, before)).toBe(hashOf(text));
  });
});

describe('ContentHasher', () => {
  /** Returns the hashes of documents; different ones if they are in another order or in a batch with others. */
  const hashesOf = (documents: readonly string[], ...runIds: readonly string[]) => {
    const hasher = new ContentHasher();
    for (const runId of runIds) hasher.addRunId(runId);
    const bytes = Buffer.from(documents.join(''));
    const hashes = Buffer.from(
      hasher.hash(
        bytes,
        Uint32Array.from(documents, (text) => Buffer.byteLength(text)),
      ),
    );
    return documents.map((_, i) => hashes.toString('hex', i * HASH_BYTES, (i + 1) * HASH_BYTES));
  };
  const content = (runId: string) => [
    `{"index":{"_id":"1"}}\n{"id":"1","run_id":"${runId}"}\n`,
    `{"index":{"_id":"2"}}\n{"run_id":"${runId}","text":"é"}\n`,
    '{"index":{"_id":"3"}}\n{"id":"3"}\n',
    `{"index":{"_id":"4"}}\n{"text":"${'x'.repeat(99)}","run_id":"${runId}","n":1}\n`,
    '{"delete":{"_id":"5"}}\n',
    `{"index":{"_id":"6"}}\n{"id":"6","run_id":"${runId}"}\n`,
  ];

  it('omits the id of the run, wherever it is in a document, and nothing else', () => {
    const first = hashesOf(content('r1'), 'r1');
    expect(hashesOf(content('another-run'), 'another-run')).toEqual(first);
    expect(new Set(first).size).toBe(6);
    // A failed document of an earlier run keeps the id of that run.
    expect(hashesOf(content('r0'))).toEqual(first);
    expect(hashesOf([...content('r1'), ...content('r2')], 'r1', 'r2')).toEqual([...first, ...first]);
    // A field with this name in an object is content.
    const nested = (value: string) => `{"index":{"_id":"1"}}\n{"job":{"run_id":"${value}"},"run_id":"r"}\n`;
    expect(hashesOf([nested('a')], 'r')).not.toEqual(hashesOf([nested('b')], 'r'));
  });

  it('does not depend on the other documents of a batch', () => {
    const texts = content('r');
    const alone = texts.flatMap((text) => hashesOf([text], 'r'));
    expect(hashesOf(texts.toReversed(), 'r')).toEqual(alone.toReversed());
  });

  it('gives a deletion no hash', () => {
    expect(hashesOf(content('r'), 'r')[4]).toBe('0'.repeat(32));
  });
});
