import { expect, it } from 'vitest';
import type { HttpResponse } from '../http/http-client.ts';
import { BulkReplies, type BulkRequest, readBulkReply, statusRefusal } from './bulk-reply.ts';

const NAME = { items: 'OpenSearch', requests: 'OpenSearch' };

const requestOf = (count: number, more: Partial<BulkRequest> = {}): BulkRequest => ({
  count,
  newerIsFine: false,
  namesIndex: false,
  name: NAME,
  ...more,
});

function answer(status: number, body: unknown): HttpResponse {
  return {
    method: 'POST',
    url: 'http://localhost/_bulk',
    status,
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  } as HttpResponse;
}

it('a bulk item without a result is a failure', () => {
  const items = [{ index: { status: 201 } }, {}, null, { index: {} }, { index: null }];
  const reply = readBulkReply(answer(200, { errors: false, items }), requestOf(items.length));
  expect('items' in reply && [...reply.items.keys()]).toEqual([1, 2, 3, 4]);
});

it('a failed request reports why shards have failed', () => {
  const error = {
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    root_cause: [{ type: 'query_shard_exception', reason: 'failed to create query: For input string: "x"' }],
  };
  expect(statusRefusal(answer(400, { error }), NAME).message).toBe(
    'OpenSearch returned HTTP 400: all shards failed <- failed to create query: For input string: "x"',
  );
});

it('a bulk reply counts the documents that an ingest pipeline dropped, but not updates without a change', () => {
  const items = [
    { index: { status: 200, result: 'noop' } },
    { index: { status: 201, result: 'created' } },
    { update: { status: 200, result: 'noop' } },
  ];
  const dropped: number[] = [];
  const reply = readBulkReply(answer(200, { items }), requestOf(3, { onDropped: (count) => dropped.push(count) }));
  expect([reply, dropped]).toEqual([{ items: new Map() }, [1]]);
});

it('reads a reply that is equal to the last one of success only once, and every other reply', () => {
  const created = { index: { status: 201, result: 'created' } };
  const refused = { index: { status: 400, error: 'no' } };
  const noop = { index: { status: 200, result: 'noop' } };
  let dropped = 0;
  const replies = new BulkReplies({
    newerIsFine: false,
    namesIndex: false,
    name: NAME,
    onDropped: (count) => {
      dropped += count;
    },
  });
  const refusals = (count: number, ...items: unknown[]) => {
    const reply = replies.read(answer(200, { items }), count);
    return 'items' in reply ? [...reply.items.keys()] : 'refused';
  };
  expect(refusals(2, created, created)).toEqual([]);
  expect(refusals(2, created, created)).toEqual([]);
  expect(refusals(3, created, created)).toBe('refused');
  expect(refusals(2, created, refused)).toEqual([1]);
  expect(refusals(2, created, refused)).toEqual([1]);
  expect(refusals(2, noop, created)).toEqual([]);
  expect(refusals(2, noop, created)).toEqual([]);
  expect(dropped).toBe(2);
  expect('refused' in replies.read(answer(503, { items: [created, created] }), 2)).toBe(true);
});

it('a bulk reply counts documents that a data stream has, and says how to set a missing time', () => {
  const conflict = { status: 409, error: { type: 'version_conflict_engine_exception', reason: 'exists' } };
  const missing = { status: 400, error: { reason: 'data stream timestamp field [@timestamp] is missing' } };
  const items = [{ create: { status: 201 } }, { create: conflict }, { index: conflict }, { create: missing }];
  const counts: string[] = [];
  const reply = readBulkReply(
    answer(200, { items }),
    requestOf(items.length, {
      onExisting: (count) => counts.push(`existing ${count}`),
      onNotWritten: (count) => counts.push(`not written ${count}`),
    }),
  );
  expect(counts).toEqual(['existing 1', 'not written 1']);
  readBulkReply(
    answer(200, { items }),
    requestOf(items.length, { isUnsure: (i) => i === 1, onExisting: (count) => counts.push(`unsure ${count}`) }),
  );
  expect(counts).toHaveLength(2);
  expect('items' in reply && [...reply.items].map(([i, { message }]) => [i, message])).toEqual([
    [2, 'OpenSearch bulk item error (status 409): exists'],
    [3, expect.stringContaining('is missing. Each document of a data stream needs one time in the field @timestamp')],
  ]);
});
