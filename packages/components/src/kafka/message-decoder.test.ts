import type { Document, RejectedRecord } from '@headrace/engine';
import { expect, it } from 'vitest';
import { MessageDecoder } from './message-decoder.ts';

function decode(messages: readonly string[]) {
  const decoder = new MessageDecoder({ topic: 't', idField: 'id', docIdPrefix: '' });
  const documents: Document[] = [];
  const rejected: RejectedRecord[] = [];
  const position = {
    partitions: new Int32Array(messages.length),
    offsets: BigInt64Array.from(messages, (_, i) => BigInt(i)),
    lengths: Int32Array.from(messages, (text) => Buffer.byteLength(text)),
  };
  decoder.decode(Buffer.from(messages.join('')), position, {
    document: (document) => void documents.push(document),
    reject: (record) => void rejected.push(record),
    warn: () => undefined,
    notice: () => undefined,
  });
  return { ids: documents.map(({ id }) => id), rejected };
}

it('rejects a message with text after its object, because that text would be lost', () => {
  const messages = ['{"id":"a"}', '{"id":"b"} \n', '{"id":"c"}{"id":"d"}', ' {"id":"e"}\n{"id":"f"}', '{"id":"g"},'];
  const { ids, rejected } = decode(messages);
  expect(ids).toEqual(['a', 'b']);
  const message = (at: number) => `text follows the object, at character ${at}: a message must be one JSON object`;
  expect(rejected).toEqual([
    { place: 'topic t, partition 0, offset 2', message: message(11) },
    { place: 'topic t, partition 0, offset 3', message: message(12) },
    { place: 'topic t, partition 0, offset 4', message: message(11) },
  ]);
});

it('rejects an empty message and one without an object', () => {
  expect(decode(['', '[1]', '{"id":"a"']).rejected.map(({ message }) => message)).toEqual([
    'Expected a JSON value, found the end of the text',
    'its value is not a JSON object',
    expect.stringContaining('Expected'),
  ]);
});
