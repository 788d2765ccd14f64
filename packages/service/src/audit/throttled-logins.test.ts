import { expect, it } from 'vitest';
import { ThrottledLogins } from './throttled-logins.ts';

it('records few of many throttled logins of an address, and restarts the count after a pause', () => {
  let now = 0;
  const logins = new ThrottledLogins(() => now);
  const recorded = (address: string) => Array.from({ length: 100_000 }, () => logins.add(address)).filter(Boolean);
  const doubled = Array.from({ length: 17 }, (_, i) => 2 ** i);
  expect(recorded('10.0.0.1')).toEqual(doubled);
  expect(recorded('10.0.0.2')).toEqual(doubled);
  expect(logins.add('10.0.0.1')).toBeUndefined();
  now += 16 * 60;
  expect(logins.add('10.0.0.1')).toBe(1);
});
