import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { headrace } from './headrace.ts';

describe('token', () => {
  it('prints a new token each time, and its hash for the service file', async () => {
    const tokens = new Set<string>();
    for (let i = 0; i < 2; i++) {
      const { code, stdout, stderr } = await headrace(['token']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const [, token = '', hash] = /^token: (hrt_[\w-]{43})\ntokenHash: sha256:([0-9a-f]{64})\n$/.exec(stdout) ?? [];
      expect(createHash('sha256').update(token).digest('hex')).toBe(hash);
      tokens.add(token);
    }
    expect(tokens.size).toBe(2);
  });
});
