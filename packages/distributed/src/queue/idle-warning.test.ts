import type { Logger } from '@headrace/engine';
import { expect, it } from 'vitest';
import { IdleWarning } from './idle-warning.ts';

it('warns once of a process that stays without partitions, and again after it has had some', () => {
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) } as unknown as Logger;
  let now = 0;
  const idle = new IdleWarning('films_source', log, () => now);
  const lookAt = (time: number, partitions: readonly number[] | undefined) => {
    now = time;
    idle.look(partitions);
    return warnings.length;
  };
  expect(lookAt(0, [])).toBe(0);
  expect(lookAt(9_999, [])).toBe(0);
  expect(lookAt(20_000, undefined)).toBe(0);
  expect(lookAt(20_001, [])).toBe(1);
  expect(lookAt(60_000, [])).toBe(1);
  expect(lookAt(61_000, [3])).toBe(1);
  expect(lookAt(62_000, [])).toBe(1);
  expect(lookAt(72_000, [])).toBe(2);
  expect(warnings[0]).toMatch(/other processes read all partitions of films_source.*Add partitions to the topic/);
});
