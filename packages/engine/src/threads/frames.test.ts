import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameReader, frameHeader } from './frames.ts';

it('frames are read as they were written, for all sizes of the pieces in between', () => {
  const contents = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 });
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(contents, cuts, (frames, sizes) => {
      const stream = Buffer.concat(frames.flatMap((frame) => [frameHeader(frame.length), frame]));
      const read: Uint8Array[] = [];
      const reader = new FrameReader(20, (content) => void read.push(Uint8Array.from(content)));
      for (let at = 0, i = 0; at < stream.length; i++) {
        const size = sizes[i % sizes.length] as number;
        reader.add(stream.subarray(at, at + size));
        at += size;
      }
      expect(read).toEqual(frames);
    }),
  );
});

it('a frame that is longer than the maximum is refused before it is read', () => {
  const reader = new FrameReader(10, () => undefined);
  expect(() => reader.add(frameHeader(2 ** 40))).toThrow('a message has 1099511627776 bytes, more than 10');
});
