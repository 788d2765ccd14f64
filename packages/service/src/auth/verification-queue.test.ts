import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VerificationQueue } from './verification-queue.ts';

/** Creates a queue whose verifications last until the test finishes them. */
function controlled() {
  const queue = new VerificationQueue();
  const begun: string[] = [];
  const open: ((matches: boolean) => void)[] = [];
  const outcomes: Record<string, boolean | undefined> = {};
  const attempt = (lane: string, key: string) => {
    const job = () => {
      begun.push(key);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      open.push(resolve);
      return promise;
    };
    void queue.verify(lane, key, job).then((result) => {
      outcomes[key] = result;
    });
  };
  const finish = async (matches = false) => {
    open.shift()?.(matches);
    await setImmediate();
  };
  return { attempt, begun, outcomes, finish, open };
}

describe('verifications of passwords', () => {
  it('run one at a time', async () => {
    const { attempt, begun, finish, open } = controlled();
    for (let i = 0; i < 30; i++) attempt(`lane${i}`, `try${i}`);
    expect(begun).toEqual(['try0']);
    for (let i = 0; i < 29; i++) {
      await finish();
      expect(open).toHaveLength(1);
    }
    expect(begun).toHaveLength(30);
  });

  it('alternate between users and addresses, so a flood for one user delays another by only one verification', async () => {
    const { attempt, begun, finish } = controlled();
    for (let i = 0; i < 60; i++) attempt('flood', `guess${i}`);
    attempt('ann', 'right');
    await finish();
    await finish();
    expect(begun).toEqual(['guess0', 'guess1', 'right']);
  });

  it('run once for concurrent attempts with the same credentials', async () => {
    const { attempt, begun, finish, outcomes } = controlled();
    for (let i = 0; i < 100; i++) attempt('ann', 'right');
    await finish(true);
    expect(begun).toEqual(['right']);
    expect(outcomes).toEqual({ right: true });
  });

  it('are refused at random if a lane is full, and a repeated attempt runs first', async () => {
    const { attempt, begun, finish, outcomes } = controlled();
    for (let i = 0; i < 66; i++) attempt('ann', `guess${i}`);
    await setImmediate();
    const [refused] = Object.keys(outcomes);
    expect(outcomes).toEqual({ [refused as string]: undefined });
    attempt('ann', refused as string);
    for (let i = 66; i < 500; i++) attempt('ann', `guess${i}`);
    await finish();
    expect(begun).toEqual(['guess0', refused]);
  });

  it('reject if the hash cannot be computed, and the next ones still run', async () => {
    const queue = new VerificationQueue();
    const failing = queue.verify('a', 'a', () => Promise.reject(new Error('no memory')));
    const throwing = queue.verify('c', 'c', () => {
      throw new Error('a bug');
    });
    const next = queue.verify('b', 'b', async () => true);
    await expect(failing).rejects.toThrow('no memory');
    await expect(throwing).rejects.toThrow('a bug');
    expect(await next).toBe(true);
  });
});
