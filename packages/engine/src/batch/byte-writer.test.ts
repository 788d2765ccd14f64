import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteWriter } from './byte-writer.ts';

it('a byte writer returns the bytes of all texts in separate memory, batch after batch', () => {
  const text = fc.oneof(
    unicodeText(),
    fc.string({ minLength: 5000, maxLength: 9000 }),
    fc.constant('é€😀'.repeat(3000)),
  );
  fc.assert(
    fc.property(fc.array(fc.array(text, { maxLength: 12 }), { maxLength: 4 }), (batches) => {
      const writer = new ByteWriter();
      for (const texts of batches) {
        for (const each of texts) writer.write(each);
        expect(writer.characters).toBe(texts.join('').length);
        const bytes = writer.take();
        expect(Buffer.from(bytes).equals(Buffer.from(texts.join(''), 'utf8'))).toBe(true);
        expect(writer.characters).toBe(0);
      }
    }),
    { numRuns: 60 },
  );
});
