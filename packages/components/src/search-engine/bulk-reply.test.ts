import { expect, it } from 'vitest';
import type { HttpResponse } from '../http/http-client.ts';
import { readBulkReply, statusRefusal } from './bulk-reply.ts';

const NAME = { items: 'OpenSearch', requests: 'OpenSearch' };

function answer(status: number, body: unknown): HttpResponse {
  return {
    method: 'POST',
    url: 'http://localhost/_bulk',
    status,
    headers: {},
    body: Buffer.from(JSON.stringify(body)),
  } as HttpResponse;
}

it('takes an item that does not say what became of its document for no success', () => {
  const items = [{ index: { status: 201 } }, {}, null, { index: {} }, { index: null }];
  const reply = readBulkReply(answer(200, { errors: false, items }), items.length, false, NAME);
  expect('items' in reply && [...reply.items.keys()]).toEqual([1, 2, 3, 4]);
});

it('tells why shards have failed', () => {
  const error = {
    type: 'search_phase_execution_exception',
    reason: 'all shards failed',
    root_cause: [{ type: 'query_shard_exception', reason: 'failed to create query: For input string: "x"' }],
  };
  expect(statusRefusal(answer(400, { error }), NAME).message).toBe(
    'OpenSearch returned HTTP 400: all shards failed <- failed to create query: For input string: "x"',
  );
});
