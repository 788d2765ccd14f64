import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClassModel } from './class-model.ts';
import { codecNamed } from './codecs.ts';
import { readFeatureGenerators } from './descriptor.ts';
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

  // The first model was made by OpenNLP 1.5 and has no descriptor. The second one has all generators in a descriptor of
  // version 1.5, the third one those with dictionaries and clusters in a descriptor of version 2.
  it.each(['old', 'elements', 'clusters'])('find the same names as OpenNLP 1.9.4: %s', async (model) => {
    const finder = new NameFinder(await ModelArchive.open(file(`${model}.bin`)));
    const lines = file('expected-old.jsonl').toString().trim().split('\n');
    let names = 0;
    for (const [i, line] of lines.entries()) {
      const { tokens, [model]: expected } = JSON.parse(line) as { tokens: string[]; [model: string]: unknown[] };
      if (i % 2 === 0) finder.clear();
      const found = finder.find(tokens).map(({ start, end, type, score }) => [start, end, type, score]);
      const close = (expected as Name[]).map(([start, end, type, score]) => [
        start,
        end,
        type,
        expect.closeTo(score, 12),
      ]);
      expect(found, tokens.join(' ')).toEqual(close);
      names += found.length;
    }
    expect([lines.length, names > 100]).toEqual([200, true]);
  });

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
    ['<generators><postagger/></generators>', 'the model has features of postagger, which are not supported: only '],
    ['<generators><custom class="A"/></generators>', 'features of custom, which are not supported'],
    ['<generators><constructor/></generators>', 'features of constructor, which are not supported'],
    [
      '<generators><window prevLength="1" nextLength="two"><token/></window></generators>',
      'must be an integer, was two',
    ],
    ['<generators><dictionary dict="words.dictionary"/></generators>', 'no file words.dictionary: '],
    [
      '<featureGenerators><generator class="opennlp.tools.util.featuregen.POSTaggerNameFeatureGeneratorFactory"/></featureGenerators>',
      'POSTaggerNameFeatureGeneratorFactory, which are not supported',
    ],
    [
      '<featureGenerators><generator class="opennlp.tools.util.featuregen.CharacterNgramFeatureGeneratorFactory"/></featureGenerators>',
      'must be an integer',
    ],
  ])('are refused with the descriptor %s', async (descriptor, message) => {
    const archive = await ModelArchive.open(file('person.bin'));
    expect(() => readFeatureGenerators(descriptor, archive)).toThrow(message);
  });

  it.each(['com.example.MyCodec', 'constructor'])('are refused with the codec %s', (name) => {
    expect(() => codecNamed(name)).toThrow(`the model uses ${name}, expected one of opennlp.tools.namefind.BioCodec`);
  });
});
