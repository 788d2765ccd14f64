import { expect, it } from 'vitest';
import { FailureWatch } from './failure-watch.ts';

/** A run whose `settled` calls are answered by the test. */
function fakeRun() {
  const calls: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  const failures: unknown[] = [];
  const settled = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    calls.push({ resolve, reject });
    return promise;
  };
  return { calls, failures, watch: new FailureWatch({ settled }, (error) => failures.push(error)) };
}

it('notices a failure of a chunk that was published while an earlier chunk was in progress', async () => {
  const { calls, failures, watch } = fakeRun();
  watch.published();
  watch.published();
  expect(calls).toHaveLength(1);
  calls[0]?.resolve();
  await expect.poll(() => calls).toHaveLength(2);
  calls[1]?.reject('lost');
  await expect.poll(() => failures).toEqual(['lost']);
});

it('asks once for chunks that are published while an earlier call is open, and ends when all are finished', async () => {
  const { calls, failures, watch } = fakeRun();
  for (let i = 0; i < 5; i++) watch.published();
  calls[0]?.resolve();
  await expect.poll(() => calls).toHaveLength(2);
  calls[1]?.resolve();
  // Two turns: the watch has noticed that nothing is left.
  await new Promise(setImmediate);
  expect(calls).toHaveLength(2);
  watch.published();
  expect(calls).toHaveLength(3);
  calls[2]?.reject('late');
  await expect.poll(() => failures).toEqual(['late']);
});
