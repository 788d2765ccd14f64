import { expect, it } from 'vitest';
import { epochPattern } from './epoch-pattern.ts';

it.each([
  ['epoch_second', '1700000000', '2023-11-14T22:13:20Z'],
  ['epoch_second', '1700000000.5', '2023-11-14T22:13:20.500Z'],
  ['epoch_second', '1.7E9', '2023-11-14T22:13:20Z'],
  ['epoch_second', '-1', '1969-12-31T23:59:59Z'],
  ['epoch_second', '-0.25', '1969-12-31T23:59:59.750Z'],
  ['epoch_second', '0', '1970-01-01T00:00:00Z'],
  ['epoch_millis', '1700000000123', '2023-11-14T22:13:20.123Z'],
  ['epoch_millis', '-1', '1969-12-31T23:59:59.999Z'],
  ['epoch_micros', '1700000000123456', '2023-11-14T22:13:20.123456Z'],
  ['epoch_nanos', '1700000000123456789', '2023-11-14T22:13:20.123456789Z'],
  ['epoch_nanos', '0.9', '1970-01-01T00:00:00Z'],
])('%s reads %s', (pattern, text, instant) => {
  expect(epochPattern(pattern)?.parse(text)).toBe(instant);
});

it.each(['', 'x', '1700000000 ', '1,5', '2023-11-14', '.5', '99999999999999999999', '1e99', '0x10'])(
  'does not read "%s"',
  (text) => {
    expect(epochPattern('epoch_second')?.parse(text)).toBeUndefined();
  },
);

it('knows no other patterns', () => {
  expect(epochPattern('yyyy')).toBeUndefined();
});
