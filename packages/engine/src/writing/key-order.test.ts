import { expect, it } from 'vitest';
import { KeyOrder } from './key-order.ts';

/** Creates work that finishes on request and records its start. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await new Promise(setImmediate);
  };
  return { begun, work, end };
}

it('KeyOrder runs work without common keys concurrently, and other work in order', async () => {
  const order = new KeyOrder();
  const { begun, work, end } = works();
  void order.run(new Set(['a', 'b']), work('1'));
  void order.run(new Set(['c']), work('2'));
  void order.run(new Set(['b', 'c']), work('3'));
  void order.run(new Set(['b']), work('4'));
  void order.run(undefined, work('5'));
  void order.run(new Set(['z']), work('6'));
  expect(begun).toEqual(['1', '2']);
  await end('2');
  expect(begun).toEqual(['1', '2']);
  await end('1');
  expect(begun).toEqual(['1', '2', '3']);
  await end('3');
  expect(begun).toEqual(['1', '2', '3', '4']);
  await end('4');
  await end('5');
  expect(begun).toEqual(['1', '2', '3', '4', '5', '6']);
});

it('KeyOrder continues after failed work', async () => {
  const order = new KeyOrder();
  const failed = order.run(new Set(['a']), () => Promise.reject(new Error('no')));
  const next = order.run(new Set(['a']), async () => 'yes');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
