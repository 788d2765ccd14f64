import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchBytes } from './batch-bytes.ts';

const ID = Buffer.from('"_id":');

function batchOf(...documents: string[]): BatchBytes {
  const pieces = documents.map((text) => Buffer.from(text));
  const lengths = Uint32Array.from(pieces, ({ length }) => length);
  return new BatchBytes({ count: documents.length, pieces, lengths: () => lengths });
}

it('hashOfFirstLine is equal for lines that are equal from the given bytes on', () => {
  const bytes = batchOf(
    '{"index":{"_id":"ä"}}\n{"x":1}\n',
    '{"delete":{"version":3,"_id":"ä"}}\n',
    '{"index":{"_id":"b"}}\n{"x":1}\n',
    '{"index":{"_id":"ä"}}',
  );
  const [first, other, different, last] = [0, 1, 2, 3].map((i) => bytes.hashOfFirstLine(i, ID));
  expect(other).toBe(first);
  expect(last).toBe(first);
  expect(different).not.toBe(first);
});

it('hashOfFirstLine stays within the line of its document', () => {
  const bytes = batchOf('nothing\n{"_id":1}\n', 'nothing');
  expect(bytes.hashOfFirstLine(0, ID)).toBe(bytes.hashOfFirstLine(1, ID));
});

it('startsWith compares the first bytes of a document', () => {
  const bytes = batchOf('{"delete_by_query":{}}\n', '{"delete":{}}\n');
  const query = Buffer.from('{"delete_by_query"');
  expect([bytes.startsWith(0, query), bytes.startsWith(1, query)]).toEqual([true, false]);
});

it('returns the lines of a document with or without a line feed at its end', () => {
  const bytes = batchOf('{"id":"a"}\n{"n":1}', '{"id":"b"}\n{"n":2}\n', '{"id":"c"}', '{"id":"d"}\n', '', '\n', '\n\n');
  const found = Array.from({ length: bytes.count }, (_, i) => [bytes.firstLine(i), bytes.rest(i).toString()]);
  expect(found).toEqual([
    ['{"id":"a"}', '{"n":1}'],
    ['{"id":"b"}', '{"n":2}'],
    ['{"id":"c"}', ''],
    ['{"id":"d"}', ''],
    ['', ''],
    ['', ''],
    ['', ''],
  ]);
  expect(bytes.startsWith(4, Buffer.from('\n'))).toBe(false);
});

it('returns the same documents for any documents, pieces and selection', () => {
  const part = fc.constantFrom('\n', '{"id":"a"}', '{"n":1}', 'é', '日', ' ', '');
  const document = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(document, fc.boolean()), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      (given, size) => {
        const documents = given.map(([text]) => text);
        const whole = Buffer.from(documents.join(''));
        const pieces: Buffer[] = [];
        for (let at = 0; at < whole.length; at += size) pieces.push(whole.subarray(at, at + size));
        const lengths = Uint32Array.from(documents, (text) => Buffer.byteLength(text));
        const bytes = new BatchBytes({ count: documents.length, pieces, lengths: () => lengths });
        documents.forEach((text, i) => {
          const [first = '', ...rest] = text.split('\n');
          expect(bytes.document(i).toString()).toBe(text);
          expect(bytes.length(i)).toBe(Buffer.byteLength(text));
          expect(Buffer.from(bytes.firstLine(i), 'latin1').toString()).toBe(first);
          expect(bytes.rest(i).toString()).toBe(rest.join('\n').replace(/\n$/, ''));
          expect(bytes.startsWith(i, Buffer.from(first))).toBe(true);
          expect(bytes.startsWith(i, Buffer.from(`${text}\n`))).toBe(false);
        });
        const chosen = given.flatMap(([, isChosen], i) => (isChosen ? [i] : []));
        expect(bytes.join(chosen).toString()).toBe(chosen.map((i) => documents[i]).join(''));
      },
    ),
  );
});

it('refuses lengths that are not those of the bytes', () => {
  const pieces = [Buffer.from('{"id":"ä"}\n')];
  for (const lengths of [[11], [13], [], [6, 6]]) {
    const make = () => new BatchBytes({ count: 1, pieces, lengths: () => Uint32Array.from(lengths) });
    expect(make, `${lengths}`).toThrow(expect.objectContaining({ code: 'HR_COMPONENT_CONTRACT' }));
  }
});
