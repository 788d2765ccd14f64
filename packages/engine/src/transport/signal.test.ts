import { expect, it } from 'vitest';
import { Signal } from './signal.ts';

it('a signal wakes all waiting callers, but no caller that starts to wait later', async () => {
  const signal = new Signal();
  const woken: string[] = [];
  signal.notify();
  const first = signal.wait().then(() => woken.push('first'));
  const second = signal.wait().then(() => woken.push('second'));
  await Promise.resolve();
  expect(woken).toEqual([]);
  signal.notify();
  const third = signal.wait().then(() => woken.push('third'));
  await Promise.all([first, second]);
  expect(woken).toEqual(['first', 'second']);
  signal.notify();
  await third;
});
