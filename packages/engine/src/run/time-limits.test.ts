import { describe, expect, it } from 'vitest';
import { connectorMillis } from './time-limits.ts';

const endless = { endless: ({ follow }: { follow: boolean }) => follow };

describe('connectorMillis', () => {
  it('returns one day for a connector that ends by itself', () => {
    expect(connectorMillis(undefined, {}, {})).toBe(86_400_000);
    expect(connectorMillis(undefined, endless, { follow: false })).toBe(86_400_000);
  });

  it('returns no limit for a connector that runs until it is stopped', () => {
    expect(connectorMillis(undefined, endless, { follow: true })).toBe(0);
  });

  it.each([0, 300])('returns the timeout of %i ms from the config, even for an endless connector', (millis) => {
    expect(connectorMillis(millis, {}, {})).toBe(millis);
    expect(connectorMillis(millis, endless, { follow: true })).toBe(millis);
  });
});
