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

it('puts the texts of documents that are processed together into batches of similar lengths', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, 3);
  const lengths = [5, 100, 7, 90, 1, 80, 6];
  const vectors = await Promise.all(lengths.map((length) => queue.embed('x'.repeat(length))));
  expect(vectors.map(([length]) => length)).toEqual(lengths);
  expect(model.batches).toEqual([[100, 90, 80], [7, 6, 5], [1]]);
});

it('collects the texts that arrive while a batch is computed', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, 3);
  const { embed } = model;
  const later: Promise<Float32Array>[] = [];
  model.embed = (texts) => {
    if (later.length === 0) later.push(queue.embed('xx'), queue.embed('xxx'));
    return embed(texts);
  };
  await queue.embed('x');
  expect((await Promise.all(later)).map(([length]) => length)).toEqual([2, 3]);
  expect(model.batches).toEqual([[1], [3, 2]]);
});

it('fails only the texts of the batch that failed', async () => {
  const model = recordingModel();
  const queue = new TextQueue(model, 2);
  const settled = await Promise.allSettled([20, 13, 5, 4].map((length) => queue.embed('x'.repeat(length))));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
  expect(model.batches).toEqual([
    [20, 13],
    [5, 4],
  ]);
});
