import { describe, expect, it } from 'vitest';
import { connectorMillis } from './time-limits.ts';

const endless = { endless: ({ follow }: { follow: boolean }) => follow };

describe('connectorMillis', () => {
  it('gives a connector that ends by itself one day', () => {
    expect(connectorMillis(undefined, {}, {})).toBe(86_400_000);
    expect(connectorMillis(undefined, endless, { follow: false })).toBe(86_400_000);
  });

  it('gives a connector that runs until it is stopped no limit', () => {
    expect(connectorMillis(undefined, endless, { follow: true })).toBe(0);
  });

  it.each([0, 300])('takes a timeout of %i ms from the config, also for an endless connector', (millis) => {
    expect(connectorMillis(millis, {}, {})).toBe(millis);
    expect(connectorMillis(millis, endless, { follow: true })).toBe(millis);
  });
});
