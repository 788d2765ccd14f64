import {
  Delivery,
  type DeliveryFailure,
  type Destination,
  type Given,
  type IndexerSettings,
  indexerSettings,
  type Logger,
  NO_ANSWER,
  type Reply,
  RequestSize,
  silentNotices,
  withDefaults,
} from '@headrace/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retriesOf } from './retries.ts';

/** Returns the retries for the settings of a block `indexer`. */
const retriesAs = (settings: Given<IndexerSettings>, log: Partial<Logger> = {}) =>
  retriesOf(
    {
      runId: 'r',
      settings: withDefaults(indexerSettings, settings),
      log: { ...SILENT, ...log },
      notices: silentNotices,
    },
    'X at there',
  );
const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

const quick = (maxRetries: number) => retriesAs({ maxRetries, retryWaitDurationMs: 0 });
const open = new AbortController().signal;
const all = (count: number) => Array.from({ length: count }, (_, i) => i);

/** Creates a destination with prepared replies that records its requests. */
function scripted(count: number, ...replies: Reply[]) {
  const requests: number[][] = [];
  const destination: Destination = {
    partial: false,
    key: String,
    length: () => 10,
    isolates: (status) => status === 400,
    request: async (positions) => {
      requests.push([...positions]);
      return replies.shift() ?? { items: new Map() };
    },
  };
  return { requests, destination, positions: all(count) };
}

const refusal = (status: number): DeliveryFailure => ({ status, message: `status ${status}` });

describe('Delivery', () => {
  it('sends only the documents again that may succeed later', async () => {
    const items = new Map([
      [1, refusal(429)],
      [2, refusal(400)],
    ]);
    const { requests, destination, positions } = scripted(4, { items });
    const failures = await new Delivery(quick(3), new RequestSize()).deliver(positions, destination, open);
    expect(failures).toEqual([{ index: 2, message: 'status 400', status: 400 }]);
    expect(requests).toEqual([[0, 1, 2, 3], [1]]);
  });

  it('reports failures as undelivered if the documents are not the cause', async () => {
    const items = new Map<number, DeliveryFailure>([
      [0, { ...refusal(403), undelivered: true }],
      [1, refusal(403)],
    ]);
    const { destination, positions } = scripted(3, { items });
    const failures = await new Delivery(quick(3), new RequestSize()).deliver(positions, destination, open);
    expect(failures.map(({ undelivered = false }) => undelivered)).toEqual([true, false]);
  });

  it.each([
    ['nothing', undefined],
    ['neither', {}],
    ['a list', { items: [[0, refusal(400)]] }],
    ['a position after the request', { items: new Map([[2, refusal(400)]]) }],
    ['a position that is not a number', { items: new Map([['0', refusal(400)]]) }],
    ['a failure without a status', { items: new Map([[0, { message: 'm' }]]) }],
    ['a refusal without a status', { refused: 'no' }],
  ])('refuses a reply that does not say which documents failed: %s', async (_, reply) => {
    const { destination, positions } = scripted(2);
    const to = { ...destination, request: async () => reply as unknown as Reply };
    const delivering = new Delivery(quick(0), new RequestSize()).deliver(positions, to, open);
    await expect(delivering).rejects.toMatchObject({
      code: 'HR_COMPONENT_CONTRACT',
      message: 'The destination does not say which of 2 documents of a request failed',
    });
  });

  it('reports an outage of a destination and its end once each', async () => {
    const said: string[] = [];
    const log = { warn: (text: string) => said.push(text), info: (text: string) => said.push(text) };
    const retries = retriesAs({ maxRetries: 5, retryWaitDurationMs: 0 }, log);
    const delivery = new Delivery(retries, new RequestSize());
    const full = new Map(all(4).map((i) => [i, refusal(429)]));
    const { destination, positions } = scripted(
      4,
      { refused: refusal(NO_ANSWER) },
      { refused: refusal(503) },
      { items: full },
    );
    await delivery.deliver(positions, destination, open);
    await delivery.deliver(positions, destination, open);
    expect(said).toEqual([
      'X at there accepts no documents at the moment. Requests are retried: status -1',
      'X at there accepts documents again after 0 s',
    ]);
  });

  it('reports no outage if some documents are accepted, or if there are no retries', async () => {
    const said: string[] = [];
    const retries = retriesAs({ maxRetries: 1, retryWaitDurationMs: 0 }, { warn: (text) => said.push(text) });
    const delivery = new Delivery(retries, new RequestSize());
    const some = new Map([[1, refusal(429)]]);
    const { destination, positions } = scripted(4, { items: some }, { items: new Map() }, { refused: refusal(401) });
    await delivery.deliver(positions, destination, open);
    await delivery.deliver(positions, destination, open);
    expect(said).toEqual([]);
  });

  it('halves requests that are too large', async () => {
    const { requests, destination, positions } = scripted(4, { refused: refusal(413) });
    expect(await new Delivery(quick(3), new RequestSize()).deliver(positions, destination, open)).toEqual([]);
    expect(requests).toEqual([
      [0, 1, 2, 3],
      [0, 1],
      [2, 3],
    ]);
  });

  /** Creates a destination that rejects a whole request if it contains one of these documents. */
  function refusing(count: number, bad: (position: number) => boolean, status = 400) {
    const { requests, destination, positions } = scripted(count);
    const isolates = (said: number) => said === 400 || said === 500;
    const request = async (some: readonly number[]): Promise<Reply> => {
      await destination.request(some);
      return some.some(bad) ? { refused: refusal(status) } : { items: new Map() };
    };
    return { requests, destination: { ...destination, isolates, request }, positions };
  }

  it('finds the one document that makes a request fail', async () => {
    const { requests, destination, positions } = refusing(4, (position) => position === 2);
    const failures = await new Delivery(quick(3), new RequestSize()).deliver(positions, destination, open);
    expect(failures).toEqual([{ index: 2, message: 'status 400', status: 400 }]);
    expect(requests).toEqual([[0, 1, 2, 3], [0, 1], [2, 3], [2], [3]]);
  });

  it('fails no document because of another one, for any result of earlier batches', async () => {
    const delivery = new Delivery(quick(3), new RequestSize());
    const send = (count: number, bad: (position: number) => boolean) => {
      const { requests, destination, positions } = refusing(count, bad);
      return delivery.deliver(positions, destination, open).then((failures) => ({ requests, failures }));
    };
    expect((await send(2, () => true)).failures).toHaveLength(2);
    // All documents fail. Sending them one by one needs half as many requests as halving the batch does.
    const hopeless = await send(3, () => true);
    expect(hopeless.failures).toHaveLength(3);
    expect(hopeless.requests).toEqual([[0], [1], [2]]);
    const { requests, failures } = await send(100, (position) => position === 0 || position === 70);
    expect(failures.map(({ index }) => index)).toEqual([0, 70]);
    expect(requests.slice(0, 3)).toEqual([[0], [1], all(100).slice(2)]);
    expect((await send(100, (position) => position === 5)).requests[0]).toHaveLength(100);
  });

  it.each([401, 403, 404, 500, 503, NO_ANSWER])(
    'reports documents as undelivered if a status of %s kept them out',
    async (status) => {
      const only429 = retriesAs({ maxRetries: 1, retryWaitDurationMs: 0, retryableStatusCodes: [429] });
      for (const retryable of [undefined, false]) {
        const refused = { ...refusal(status), ...(retryable === undefined ? {} : { retryable }) };
        const { destination, positions } = scripted(2, { refused }, { refused }, { refused });
        const failures = await new Delivery(only429, new RequestSize()).deliver(positions, destination, open);
        expect(failures).toMatchObject(positions.map((index) => ({ index, undelivered: true })));
      }
    },
  );

  it.each([400, 409, 413, 422])('blames the document for a status of %s', async (status) => {
    const { destination, positions } = scripted(1, { refused: refusal(status) });
    const failures = await new Delivery(quick(1), new RequestSize()).deliver(positions, destination, open);
    expect(failures).toEqual([{ index: 0, message: `status ${status}`, status }]);
  });

  it('blames a document for an ambiguous status only if another one was accepted', async () => {
    const send = (bad: (position: number) => boolean) => {
      const { destination, positions } = refusing(4, bad, 500);
      return new Delivery(quick(1), new RequestSize()).deliver(positions, destination, open);
    };
    const fault = { message: 'status 500', status: 500 };
    expect(await send((position) => position === 2)).toEqual([{ index: 2, ...fault }]);
    expect(await send(() => true)).toEqual(all(4).map((index) => ({ index, ...fault, undelivered: true })));
  });

  it('sends an earlier document again if its version is newer than that of a later one', async () => {
    const versions = [5n, 3n, 7n, 7n];
    const items = new Map([
      [0, refusal(429)],
      [2, refusal(429)],
    ]);
    const send = async (known: Partial<Destination>) => {
      const { requests, destination, positions } = scripted(4, { items });
      const to = { ...destination, key: (position: number) => (position < 2 ? 'a' : 'b'), ...known };
      expect(await new Delivery(quick(3), new RequestSize()).deliver(positions, to, open)).toEqual([]);
      return requests.slice(1);
    };
    expect(await send({})).toEqual([]);
    expect(await send({ version: (position) => versions[position] })).toEqual([[0]]);
  });

  it('stops sending when the signal aborts', async () => {
    const given = new AbortController();
    const { requests, destination, positions } = scripted(2, { refused: refusal(503) });
    const slow = retriesAs({ maxRetries: 3, retryWaitDurationMs: 60_000 });
    const delivered = new Delivery(slow, new RequestSize()).deliver(positions, destination, given.signal);
    given.abort();
    const failures = await delivered;
    expect(failures.map(({ index }) => index)).toEqual([0, 1]);
    expect(requests.length).toBeLessThan(2);
  });

  it('leaves the destination in the state of an ordered delivery of all accepted documents, for any failures', async () => {
    const statuses = fc.constantFrom(0, 0, 0, 400, 429, 503);
    const scenario = fc.record({
      keys: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 25 }),
      partial: fc.boolean(),
      retries: fc.integer({ min: 1, max: 4 }),
      whole: fc.array(fc.constantFrom(0, 0, 0, 413, 429, 400, -1), { maxLength: 20 }),
      items: fc.array(statuses, { minLength: 1, maxLength: 60 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ keys, partial, retries, whole, items }) => {
        const state = new Map<number, number[]>();
        let request = 0;
        let item = 0;
        const destination: Destination = {
          partial,
          key: (position) => String(keys[position]),
          length: () => 10,
          isolates: (status) => status === 400,
          request: async (positions) => {
            const status = whole[request++] ?? 0;
            if (status !== 0) return { refused: refusal(status) };
            const refused = new Map<number, DeliveryFailure>();
            positions.forEach((position, i) => {
              const said = items[item++ % items.length] as number;
              const key = keys[position] as number;
              if (said !== 0) refused.set(i, refusal(said));
              else state.set(key, partial ? [...(state.get(key) ?? []), position] : [position]);
            });
            return { items: refused };
          },
        };
        const delivery = new Delivery(quick(retries), new RequestSize());
        const failures = await delivery.deliver(all(keys.length), destination, open);
        const failed = new Set(failures.map(({ index }) => index));
        expect(failed.size).toBe(failures.length);
        const expected = new Map<number, number[]>();
        keys.forEach((key, position) => {
          if (failed.has(position)) return;
          expected.set(key, partial ? [...(expected.get(key) ?? []), position] : [position]);
        });
        expect(state).toEqual(expected);
      }),
      { numRuns: 3 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});
