import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemeFloor } from './grapheme-boundary.ts';

describe('graphemeFloor', () => {
  it('is the last boundary in a segmentation of the whole text', () => {
    const joining = fc.constantFrom(...'aé \r\n\u0301\u200d\ufe0f', '👨', '🇫', '🏽', '한', 'ᄒ', 'ᅡ', 'क', '्', '\u0600');
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.string({ unit: joining }), fc.nat(30), (text, limit) => {
        const ends = [0, ...Array.from(segmenter.segment(text), ({ index, segment }) => index + segment.length)];
        expect(graphemeFloor(text, limit)).toBe(Math.max(...ends.filter((end) => end <= limit)));
      }),
      { numRuns: 10 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });
});
