import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AGGREGATIONS, groupNames, type ScoredToken } from './group-names.ts';
import { TokenClassifier, windowsOf } from './token-classifier.ts';

const testing = (name: string) => fileURLToPath(new URL(`../testing/${name}`, import.meta.url));
const OPTIONS = { component: 'ApplyOpenNLPNameFinders', dtype: 'fp32', threads: 1 } as const;

interface Recorded {
  readonly text: string;
  readonly names: Readonly<Record<string, readonly (readonly [string, number, number, number])[]>>;
}
const recorded = readFileSync(testing('expected-names.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

describe('names of a model for token classification', () => {
  it.each(AGGREGATIONS)('are those of the pipeline of transformers with %s', async (aggregation) => {
    const model = await TokenClassifier.open({ folder: testing('token-model'), ...OPTIONS });
    const classified = await model.classify(recorded.map(({ text }) => text));
    await model.close();
    const found = classified.map((tokens, i) =>
      groupNames(recorded[i]?.text as string, tokens, model.labels, aggregation),
    );
    const expected = recorded.map(({ names }) =>
      (names[aggregation] ?? []).map(([type, start, end, score]) => ({
        type,
        start,
        end,
        score: expect.closeTo(score, 4),
      })),
    );
    expect(found).toEqual(expected);
  });

  it.each([
    ['BIO', ['B-A', 'I-A', 'B-A', 'O', 'I-A', 'I-B'], ['0-2 A', '2-3 A', '4-5 A', '5-6 B']],
    ['BIOES', ['B-A', 'E-A', 'S-A', 'S-A', 'B-B', 'I-B'], ['0-2 A', '2-3 A', '3-4 A', '4-6 B']],
    ['BILOU', ['B-A', 'L-A', 'I-A', 'U-A', 'O', 'U-B'], ['0-2 A', '2-3 A', '3-4 A', '5-6 B']],
    ['IO without prefixes', ['A', 'A', 'B', 'O', 'O', 'A'], ['0-2 A', '2-3 B', '5-6 A']],
  ])('are grouped by the labels of the scheme %s', (_, labels, expected) => {
    const tokens = labels.map((_, i): ScoredToken => {
      const probabilities = Float32Array.from(labels, (_, label) => (label === i ? 1 : 0));
      return { start: i, end: i + 1, continuesWord: false, probabilities };
    });
    const names = groupNames('abcdef', tokens, labels, 'simple');
    expect(names.map(({ start, end, type }) => `${start}-${end} ${type}`)).toEqual(expected);
  });

  it('contain whole words if the tokens do not show where words continue', () => {
    // As SentencePiece divides: a name of two tokens, a comma, and two signs of a script without blanks.
    const text = 'Łódź, 東京';
    const spans = [
      [0, 2],
      [2, 4],
      [4, 5],
      [6, 7],
      [7, 8],
    ] as const;
    const best = [0, 1, 1, 0, 1];
    const tokens = spans.map(([start, end], i): ScoredToken => {
      const probabilities = Float32Array.of(best[i] === 0 ? 0.9 : 0.1, best[i] === 0 ? 0.1 : 0.9);
      return { start, end, continuesWord: undefined, probabilities };
    });
    const names = groupNames(text, tokens, ['LOC', 'O'], 'first');
    expect(names.map(({ start, end }) => text.slice(start, end))).toEqual(['Łódź', '東']);
  });
});

describe('the windows of a long text', () => {
  it('use each token once, far from their edges', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 8, max: 60 }), (count, size) => {
        const windows = windowsOf(count, size);
        const used = windows.flatMap(({ keepFrom, keepTo }) =>
          Array.from({ length: keepTo - keepFrom }, (_, i) => keepFrom + i),
        );
        expect(used).toEqual(Array.from({ length: count }, (_, i) => i));
        for (const { start, end, keepFrom, keepTo } of windows) {
          expect([start <= keepFrom, keepTo <= end, end - start <= size]).toEqual([true, true, true]);
          expect(start === 0 || keepFrom > start).toBe(true);
        }
      }),
    );
  });

  it('return the same names as the whole text, if the model needs only the words beside a word', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'token-model-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    cpSync(testing('token-model'), folder, { recursive: true });
    const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, max_position_embeddings: 16 }));
    const texts = recorded.map(({ text }) => text);
    const [whole, divided] = await Promise.all(
      [testing('token-model'), folder].map(async (path) => {
        const model = await TokenClassifier.open({ folder: path, ...OPTIONS });
        const tokens = await model.classify([texts.join(' '), ...texts, '']);
        await model.close();
        return tokens;
      }),
    );
    expect(whole?.[0]?.length).toBeGreaterThan(500);
    expect(divided).toEqual(whole);
  });
});
