import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClassModel } from './class-model.ts';
import { readFeatureGenerators } from './feature-generators.ts';
import { ModelArchive } from './model-archive.ts';
import { NameFinder } from './name-finder.ts';
import { Tokenizer } from './tokenizer.ts';

type Name = [start: number, end: number, type: string, score: number];
interface Recorded {
  readonly text: string;
  readonly tokens: string[];
  readonly person: Name[];
  readonly names: Name[];
}

const file = (name: string) => readFileSync(new URL(`../testing/${name}`, import.meta.url));
/** The results of OpenNLP 2.4.0. Each two texts are a document. */
const recorded = file('expected.jsonl')
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

describe('the models of OpenNLP', () => {
  it('split recorded texts into the same tokens', async () => {
    const tokenizer = new Tokenizer(await ModelArchive.open(file('tokens.bin')));
    for (const { text, tokens } of recorded) {
      expect(tokenizer.tokenize(text).map(({ start, end }) => text.slice(start, end))).toEqual(tokens);
    }
  });

  // The first model has the default features and is a maximum entropy model with the codec BIO. The second one has
  // other features and is a perceptron with the codec BILOU.
  it.each(['person', 'names'] as const)(
    'find the same names in recorded texts, with the same scores: %s',
    async (model) => {
      const finder = new NameFinder(await ModelArchive.open(file(`${model}.bin`)));
      for (const [i, one] of recorded.entries()) {
        if (i % 2 === 0) finder.clear();
        const found = finder.find(one.tokens).map(({ start, end, type, score }) => [start, end, type, score]);
        expect(found, one.text).toEqual(
          one[model].map(([start, end, type, score]) => [start, end, type, expect.closeTo(score, 12)]),
        );
      }
    },
  );

  it('are refused if they are cut off anywhere', async () => {
    const content = (await ModelArchive.open(file('names.bin'))).require('nameFinder.model');
    fc.assert(
      fc.property(fc.nat(content.length - 1), (end) => {
        expect(() => new ClassModel(content.subarray(0, end))).toThrow(Error);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['<generators/>', 'the old format'],
    [
      '<featureGenerators><generator class="opennlp.tools.util.featuregen.DictionaryFeatureGeneratorFactory"/></featureGenerators>',
      'DictionaryFeatureGeneratorFactory, which are not supported',
    ],
    [
      '<featureGenerators><generator class="opennlp.tools.util.featuregen.CharacterNgramFeatureGeneratorFactory"/></featureGenerators>',
      'must be an integer',
    ],
  ])('are refused with the descriptor %s', (descriptor, message) => {
    expect(() => readFeatureGenerators(descriptor)).toThrow(message);
  });
});
