import { assertStageContract, makeStage, toDocument } from '@headrace/engine/testing';
import { describe, expect, it } from 'vitest';
import { DropDocument } from './drop-document.ts';

describe('DropDocument', () => {
  it('satisfies the stage contract', async () => {
    await assertStageContract(DropDocument, { params: {}, document: { id: '1' } });
  });

  it.each([
    [0, 0, 0],
    [0.5, 300, 700],
    [1, 1000, 1000],
  ])('drops documents with the probability %d', (percentage, least, most) => {
    const stage = makeStage(DropDocument, { percentage });
    let dropped = 0;
    for (let i = 0; i < 1000; i++) {
      const document = toDocument({ id: `${i}` });
      stage.process(document);
      if (document.dropped) dropped++;
    }
    expect(dropped).toBeGreaterThanOrEqual(least);
    expect(dropped).toBeLessThanOrEqual(most);
  });

  it.each([-0.1, 1.1, 50])('refuses the percentage %d', (percentage) => {
    expect(() => makeStage(DropDocument, { percentage })).toThrow('percentage');
  });
});
