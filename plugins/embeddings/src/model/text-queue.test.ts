import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextQueue } from './text-queue.ts';

/** A model whose vector of a text is its length. Records the lengths of the texts in each batch. */
function recordingModel() {
  const batches: number[][] = [];
  return {
    batches,
    tokens: (text: string) => Array.from(text, (character) => character.charCodeAt(0)),
    async embed(texts: readonly (readonly number[])[]) {
      const lengths = texts.map(({ length }) => length);
      batches.push(lengths);
      if (lengths.includes(13)) throw new Error('no vector');
      return lengths.map((length) => Float32Array.of(length));
    },
  };
}

function embedAll(queue: TextQueue, lengths: readonly number[]): Promise<Float32Array>[] {
  return lengths.map((length) => queue.embed('x'.repeat(length)));
}

it('puts the texts of documents that are processed together into batches of similar lengths', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, { texts: 3, tokens: 1000 });
  const lengths = [5, 100, 7, 90, 1, 80, 6];
  const vectors = await Promise.all(embedAll(queue, lengths));
  expect(vectors.map(([length]) => length)).toEqual(lengths);
  expect(model.batches).toEqual([[6, 5, 1], [100, 90, 80], [7]]);
});

it('ends a batch when its texts, padded to the longest one, reach the maximum number of tokens', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, { texts: 32, tokens: 100 });
  await Promise.all(embedAll(queue, [500, 50, 50, 50, 10, 9, 8, 7]));
  expect(model.batches).toEqual([[500], [50, 50], [50, 10], [9, 8, 7]]);
});

it('keeps to both limits, and returns the vector of each text, for texts of any lengths', async () => {
  const limits = { texts: 4, tokens: 60 };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 14, max: 80 }), { maxLength: 30 }), async (lengths) => {
      const model = recordingModel();
      const vectors = await Promise.all(embedAll(new TextQueue(model, limits), lengths));
      expect(vectors.map(([length]) => length)).toEqual(lengths);
      for (const batch of model.batches) {
        expect(batch.length).toBeLessThanOrEqual(limits.texts);
        if (batch.length > 1) expect(batch.length * Math.max(...batch)).toBeLessThanOrEqual(limits.tokens);
      }
    }),
  );
});

it('collects the texts that arrive while a batch is computed', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, { texts: 3, tokens: 1000 });
  const { embed } = model;
  const later: Promise<Float32Array>[] = [];
  model.embed = (texts) => {
    if (later.length === 0) later.push(...embedAll(queue, [2, 3]));
    return embed(texts);
  };
  await queue.embed('x');
  expect((await Promise.all(later)).map(([length]) => length)).toEqual([2, 3]);
  expect(model.batches).toEqual([[1], [3, 2]]);
});

it.each([
  ['short', 2, 50],
  ['long', 50, 2],
])('embeds a %s text while others that fill all batches keep arriving', async (_, length, others) => {
  const model = recordingModel();
  const queue = new TextQueue(model, { texts: 2, tokens: 1000 });
  const { embed } = model;
  let isWaiting = true;
  model.embed = (texts) => {
    // A queue that never takes the text would run forever.
    if (isWaiting && model.batches.length < 100) for (const one of embedAll(queue, [others, others])) void one;
    return embed(texts);
  };
  const first = embedAll(queue, [others, others, others]);
  await queue.embed('x'.repeat(length));
  isWaiting = false;
  await Promise.all(first);
  expect(model.batches.findIndex((batch) => batch.includes(length))).toBeLessThan(3);
});

it('gives the model its next batch before it ends one, and no more', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, { texts: 1, tokens: 1000 });
  const { embed } = model;
  const release: (() => void)[] = [];
  model.embed = async (texts) => {
    const vectors = embed(texts);
    await new Promise<void>((resolve) => release.push(resolve));
    return vectors;
  };
  const vectors = embedAll(queue, [1, 2, 3]);
  await expect.poll(() => model.batches).toEqual([[1], [2]]);
  release[0]?.();
  await vectors[0];
  expect(model.batches).toEqual([[1], [2], [3]]);
  for (const resolve of release) resolve();
  await Promise.all(vectors);
});

it('fails only the texts of the batch that failed', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, { texts: 2, tokens: 1000 });
  const settled = await Promise.allSettled(embedAll(queue, [20, 13, 5, 4]));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  expect(model.batches).toEqual([
    [20, 13],
    [5, 4],
  ]);
});
