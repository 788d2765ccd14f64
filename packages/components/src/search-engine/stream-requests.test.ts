import { BatchBytes, type Reply } from '@headrace/engine';
import { describe, expect, it } from 'vitest';
import { StreamRequests } from './stream-requests.ts';

const NOT_CREATED = 'only write ops with an op_type of create are allowed in data streams';

describe('requests to a data stream', () => {
  it('are sent again with create if another request has found out meanwhile that it is one', async () => {
    const streams = new Set<string>();
    const sent: string[] = [];
    const released = Promise.withResolvers<void>();
    const writer = {
      hasStreams: () => streams.size > 0,
      isStream: (name: string) => streams.has(name),
      addStream: (name: string) => void streams.add(name),
      existing: async () => new Set<string>(),
      send: async (body: Buffer): Promise<Reply> => {
        const text = body.toString();
        sent.push(text);
        if (text.includes('"create"')) return { items: new Map() };
        if (text.includes('"b"')) await released.promise;
        return { items: new Map([[0, { status: 400, message: NOT_CREATED }]]) };
      },
      why: undefined,
    };
    const requests = (id: string) => {
      const lines = `{"index":{"_index":"logs","_id":"${id}"}}\n{"n":1}\n`;
      const batch = { count: 1, pieces: [Buffer.from(lines)], lengths: () => Uint32Array.of(lines.length) };
      return new StreamRequests(new BatchBytes(batch), writer).request([0]);
    };

    const second = requests('b');
    expect(await requests('a')).toEqual({ items: new Map() });
    released.resolve();

    expect(await second).toEqual({ items: new Map() });
    expect(sent).toHaveLength(4);
  });
});
