import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Delivery, type Destination, type Refusal, type Reply } from './delivery.ts';
import { RequestSize } from './request-size.ts';
import { retriesOf } from './retries.ts';

const quick = (maxRetries: number) => retriesOf({ maxRetries, retryWaitDurationMs: 0 });
const open = new AbortController().signal;
const all = (count: number) => Array.from({ length: count }, (_, i) => i);

/** A destination that answers as it is told, and remembers what it was asked. */
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

const refusal = (status: number): Refusal => ({ status, message: `status ${status}` });

describe('Delivery', () => {
  it('sends again what may succeed later, alone', async () => {
    const items = new Map([
      [1, refusal(429)],
      [2, refusal(400)],
    ]);
    const { requests, destination, positions } = scripted(4, { items });
    const failures = await new Delivery(quick(3), new RequestSize()).deliver(positions, destination, open);
    expect(failures).toEqual([{ index: 2, message: 'status 400', status: 400 }]);
    expect(requests).toEqual([[0, 1, 2, 3], [1]]);
  });

  it('halves what is too large', async () => {
    const { requests, destination, positions } = scripted(4, { refused: refusal(413) });
    expect(await new Delivery(quick(3), new RequestSize()).deliver(positions, destination, open)).toEqual([]);
    expect(requests).toEqual([
      [0, 1, 2, 3],
      [0, 1],
      [2, 3],
    ]);
  });

  it('looks for the one document for which a request is refused, but not when all are', async () => {
    const delivery = new Delivery(quick(3), new RequestSize());
    const { requests, destination, positions } = scripted(4);
    const refuse = (bad: (position: number) => boolean): Destination => ({
      ...destination,
      request: async (some) => {
        await destination.request(some);
        return some.some(bad) ? { refused: refusal(400) } : { items: new Map() };
      },
    });
    const one = await delivery.deliver(
      positions,
      refuse((position) => position === 2),
      open,
    );
    expect(one).toEqual([{ index: 2, message: 'status 400', status: 400 }]);
    expect(requests).toEqual([[0, 1, 2, 3], [0, 1], [2, 3], [2], [3]]);
    const none = refuse(() => true);
    expect(await delivery.deliver(positions, none, open)).toHaveLength(4);
    requests.length = 0;
    expect(await delivery.deliver(positions, none, open)).toHaveLength(4);
    expect(requests).toEqual([[0, 1, 2, 3]]);
  });

  it('sends nothing more when it is given up', async () => {
    const given = new AbortController();
    const { requests, destination, positions } = scripted(2, { refused: refusal(503) });
    const slow = retriesOf({ maxRetries: 3, retryWaitDurationMs: 60_000 });
    const delivered = new Delivery(slow, new RequestSize()).deliver(positions, destination, given.signal);
    given.abort();
    const failures = await delivered;
    expect(failures.map(({ index }) => index)).toEqual([0, 1]);
    expect(requests.length).toBeLessThan(2);
  });

  it('leaves the destination as it would be had all been taken in order that were taken, whatever goes wrong', async () => {
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
            const refused = new Map<number, Refusal>();
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
      { numRuns: 300 },
    );
  });
});
