import { Dictionary, readBrownClusters, readWordClusters } from './dictionary.ts';
import {
  brownBigramFeatures,
  brownClassFeatures,
  brownFeatures,
  dictionaryFeatures,
  wordClusterFeatures,
} from './dictionary-features.ts';
import {
  all,
  bigrams,
  characterGrams,
  documentBegin,
  type FeatureGenerator,
  outcomePrior,
  prefixes,
  previousOutcome,
  sentence,
  suffixes,
  tokenClassFeatures,
  tokenFeatures,
  tokenPattern,
  trigrams,
  window,
} from './feature-generators.ts';
import { readXml, type XmlElement } from './xml-elements.ts';

/** The other files of a model: dictionaries and clusters. */
interface ModelFiles {
  /** Throws if there is no such file. */
  require(name: string): Buffer;
}

type Factory = (settings: Settings) => FeatureGenerator;

/** The generators by the name of their factory in OpenNLP, without FeatureGeneratorFactory. */
const FACTORIES: Readonly<Record<string, Factory>> = {
  // OpenNLP replaces the first generator by all of them, and keeps the others: their features count twice.
  Aggregated: (settings) => all([all(settings.nested), ...settings.nested.slice(1)]),
  BigramName: () => bigrams,
  BrownClusterBigram: (settings) => brownBigramFeatures(readBrownClusters(settings.file('dict'))),
  BrownClusterTokenClass: (settings) => brownClassFeatures(readBrownClusters(settings.file('dict'))),
  BrownClusterToken: (settings) => brownFeatures(readBrownClusters(settings.file('dict'))),
  CharacterNgram: (settings) => characterGrams(settings.integer('min'), settings.integer('max')),
  Definition: () => outcomePrior,
  Dictionary: (settings) => dictionaryFeatures(new Dictionary(settings.file('dict')), settings.text('prefix')),
  DocumentBegin: () => documentBegin,
  Prefix: (settings) => prefixes(settings.integer('length', 4)),
  PreviousMap: () => previousOutcome,
  Sentence: (settings) => sentence(settings.flag('begin', true), settings.flag('end', true)),
  Suffix: (settings) => suffixes(settings.integer('length', 4)),
  TokenClass: (settings) => tokenClassFeatures(settings.flag('wordAndClass', true)),
  Token: (settings) => tokenFeatures(settings.flag('lowercase', true)),
  TokenPattern: () => tokenPattern,
  TrigramName: () => trigrams,
  Window: (settings) => window(all(settings.nested), settings.integer('prevLength'), settings.integer('nextLength')),
  WordCluster: (settings) =>
    wordClusterFeatures(
      readWordClusters(settings.file('dict')),
      settings.text('dict'),
      settings.flag('lowerCase', false),
    ),
};
const FACTORY_CLASS = /^opennlp\.tools\.util\.featuregen\.(\w+)FeatureGeneratorFactory$/;

/** The generators by the name of their element in descriptors of OpenNLP 1, whose attributes are the settings. */
const ELEMENTS: Readonly<Record<string, Factory>> = {
  ...Object.fromEntries(Object.entries(FACTORIES).map(([name, create]) => [name.toLowerCase(), create])),
  bigram: () => bigrams,
  cache: (settings) => all(settings.nested),
  charngram: FACTORIES.CharacterNgram as Factory,
  docbegin: () => documentBegin,
  generators: (settings) => all(settings.nested),
  prevmap: () => previousOutcome,
};

/**
 * Reads the descriptor of a model, generator.featuregen, of OpenNLP 1 or 2. Throws if it has a generator that is not
 * supported.
 */
export function readFeatureGenerators(descriptor: string, files: ModelFiles): FeatureGenerator {
  const root = readXml(descriptor);
  if (root.name !== 'featureGenerators') return elementGenerator(root, files);
  return all(root.children.map((child) => factoryGenerator(child, files)));
}

function factoryGenerator(element: XmlElement, files: ModelFiles): FeatureGenerator {
  const { class: name = element.name } = element.attributes;
  const create = own(FACTORIES, FACTORY_CLASS.exec(name)?.[1] ?? '') ?? unsupported(name);
  const nested = element.children.filter((child) => child.name === 'generator');
  const values = element.children.map((child): [string, string] => [child.attributes.name ?? '', child.text.trim()]);
  return create(
    new Settings(
      name,
      new Map(values),
      nested.map((child) => factoryGenerator(child, files)),
      files,
    ),
  );
}

function elementGenerator({ name, attributes, children }: XmlElement, files: ModelFiles): FeatureGenerator {
  const create = own(ELEMENTS, name) ?? unsupported(name);
  const nested = children.map((child) => elementGenerator(child, files));
  return create(new Settings(name, new Map(Object.entries(attributes)), nested, files));
}

function own(factories: Readonly<Record<string, Factory>>, name: string): Factory | undefined {
  return Object.hasOwn(factories, name) ? factories[name] : undefined;
}

function unsupported(name: string): never {
  const known = Object.keys(FACTORIES).join(', ');
  throw new Error(`the model has features of ${name}, which are not supported: only ${known}`);
}

/** The settings of a generator in the descriptor. */
class Settings {
  readonly nested: readonly FeatureGenerator[];
  readonly #name: string;
  readonly #values: ReadonlyMap<string, string>;
  readonly #files: ModelFiles;

  constructor(
    name: string,
    values: ReadonlyMap<string, string>,
    nested: readonly FeatureGenerator[],
    files: ModelFiles,
  ) {
    this.nested = nested;
    this.#name = name;
    this.#values = values;
    this.#files = files;
  }

  /** Returns the content of the file of the model that a setting names. */
  file(name: string): Buffer {
    return this.#files.require(this.text(name));
  }

  text(name: string): string {
    return this.#values.get(name) ?? '';
  }

  integer(name: string, otherwise?: number): number {
    const text = this.#values.get(name);
    const value = text === undefined ? otherwise : Number(text);
    if (Number.isInteger(value)) return value as number;
    throw new Error(`${name} of ${this.#name} must be an integer, was ${text}`);
  }

  flag(name: string, otherwise: boolean): boolean {
    const text = this.#values.get(name);
    return text === undefined ? otherwise : text.toLowerCase() === 'true';
  }
}
