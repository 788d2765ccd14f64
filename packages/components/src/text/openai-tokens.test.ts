import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { cutToTokens } from './openai-tokens.ts';

const count = (text: string) => encode(text, { disallowedSpecial: new Set() }).length;

describe('cutToTokens', () => {
  it('does not change short texts', async () => {
    expect(await cutToTokens('short', 5)).toBe('short');
    const long = 'some words '.repeat(100);
    expect(await cutToTokens(long, count(long))).toBe(long);
  });

  it.each([
    ['words', 'It was the best of times, it was the worst of times. '.repeat(1000)],
    ['lines', 'key: value\n\n  - 12345678 <|endoftext|>\r\n'.repeat(1000)],
    ['another script', '東京都は日本の首都である。'.repeat(500)],
    ['emoji', '😀👩‍👩‍👧🏴󠁧󠁢󠁥󠁮󠁧󠁿'.repeat(400)],
  ])('returns the longest start within the limit, of %s', async (_, text) => {
    for (const limit of [1, 2, 100, 999, 1000, 3000]) {
      const cut = await cutToTokens(text, limit);
      expect(text.startsWith(cut)).toBe(true);
      expect(count(cut)).toBeLessThanOrEqual(limit);
      // A character that is cut in the middle may remove up to three tokens.
      expect(count(cut)).toBeGreaterThan(limit - 4);
      expect(cut.isWellFormed()).toBe(true);
    }
  });

  it('cuts one very long word', async () => {
    const cut = await cutToTokens('a'.repeat(1_000_000), 8191);
    expect(cut.length).toBeGreaterThan(60_000);
    expect(cut.length).toBeLessThan(66_000);
  });
});
