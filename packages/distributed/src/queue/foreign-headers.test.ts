import type { TopicMessage } from '@headrace/components/kafka';
import { expect, it } from 'vitest';
import { readHeader, toHeaders } from './headers.ts';
import { type BatchReport, readReport } from './reports.ts';

function messageWith(header: string): TopicMessage {
  const headers = new Map([[Buffer.from('headrace'), Buffer.from(header)]]);
  return { topic: 't', partition: 0, offset: 0n, leaderEpoch: 0, key: undefined, value: undefined, headers } as never;
}

it('reads the header that it wrote', () => {
  const header = { run: 'r', batch: 1, count: 2, events: 'e' };
  const message = { ...messageWith(''), headers: toHeaders(header) } as never;
  expect(readHeader(message)).toEqual(header);
});

it.each(['', 'null', '1', '[]', '"r"', '{}', '{"run":1}', '{"run":"r"'])(
  'treats a message with the damaged header %j as a message without a header',
  (header) => {
    expect(readHeader(messageWith(header))).toBeUndefined();
  },
);

const report: BatchReport = {
  batch: 0,
  attempt: 'a',
  parts: 0,
  created: 0,
  succeeded: 1,
  failed: 0,
  dropped: 0,
  failures: [],
};

it('reads the report that it wrote', () => {
  expect(readReport(Buffer.from(JSON.stringify(report)))).toEqual(report);
});

it.each([
  'null',
  '',
  '[]',
  '{"batch":0}',
  JSON.stringify({ ...report, succeeded: '1' }),
  JSON.stringify({ ...report, failures: {} }),
  JSON.stringify({ ...report, attempt: 1 }),
])('ignores the report %j of another program', (text) => {
  expect(readReport(Buffer.from(text))).toBeUndefined();
});
