import { expect, it } from 'vitest';
import { BatchBytes } from './batch-bytes.ts';

const ID = Buffer.from('"_id":');

const batchOf = (...documents: string[]) => batchWithHeads(0, ...documents);

function batchWithHeads(headLength: number, ...documents: string[]): BatchBytes {
  const pieces = documents.map((text) => Buffer.from(text));
  const lengths = Uint32Array.from(pieces, ({ length }) => length);
  return new BatchBytes({ count: documents.length, pieces, lengths: () => lengths }, headLength);
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

it('a head is not part of its document', () => {
  const bytes = batchWithHeads(2, '01a\n', '23bb\n', '45c\n');
  const text = (positions: number[]) => bytes.join(positions).toString();
  expect([bytes.length(1), bytes.firstLine(1), bytes.document(1).toString()]).toEqual([3, 'bb', 'bb\n']);
  expect([text([0, 1, 2]), text([0, 2]), text([1])]).toEqual(['a\nbb\nc\n', 'a\nc\n', 'bb\n']);
  expect(Buffer.from(bytes.bytes).toString('latin1', bytes.headAt(2), bytes.headAt(2) + 2)).toBe('45');
});
