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
