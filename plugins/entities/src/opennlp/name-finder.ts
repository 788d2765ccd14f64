import { BestFirst } from './best-first.ts';
import { ClassModel } from './class-model.ts';
import { type Codec, codecNamed } from './codecs.ts';
import { readFeatureGenerators } from './descriptor.ts';
import { DEFAULT_GENERATORS, type EarlierTexts, type FeatureGenerator } from './feature-generators.ts';
import type { ModelArchive } from './model-archive.ts';
import type { Span } from './spans.ts';
import { tokenClass } from './token-class.ts';

/** A name: its tokens, its type in the model, and the mean probability of its tokens. */
export interface FoundName extends Span {
  readonly type: string | undefined;
  readonly score: number;
}

/** Outcomes of the first tokens, as a list that shares its beginning with others. */
interface Sequence {
  readonly score: number;
  readonly outcome?: string;
  readonly probability?: number;
  readonly before?: Sequence;
}

const OTHER = 'other';
/** Less probable sequences are not continued. */
const MIN_SCORE = -100_000;
const DEFAULT_BEAM = 3;

/** Finds names with a model of OpenNLP, as NameFinderME does. */
export class NameFinder {
  readonly #model: ClassModel;
  readonly #features: FeatureGenerator;
  readonly #codec: Codec;
  readonly #beam: number;
  /** What the finder has learned from the texts of the document. */
  #outcomes = new Map<string, string>();
  #isFirst = true;

  /** Throws if the archive is not a model for names, or uses features that are not supported. */
  constructor(archive: ModelArchive) {
    const descriptor = archive.get('generator.featuregen');
    this.#features =
      descriptor === undefined ? DEFAULT_GENERATORS : readFeatureGenerators(descriptor.toString(), archive);
    this.#codec = codecNamed(archive.properties.get('sequenceCodecImplName'));
    this.#beam = Number(archive.properties.get('BeamSize') ?? DEFAULT_BEAM) || DEFAULT_BEAM;
    this.#model = new ClassModel(archive.require('nameFinder.model'));
  }

  /** Forgets the texts before. Called before each document. */
  clear(): void {
    this.#outcomes = new Map();
    this.#isFirst = true;
  }

  find(tokens: readonly string[]): FoundName[] {
    const best = this.#search(tokens);
    const outcomes: string[] = [];
    const probabilities: number[] = [];
    for (let at: Sequence | undefined = best; at?.outcome !== undefined; at = at.before) {
      outcomes.push(at.outcome);
      probabilities.push(at.probability as number);
    }
    outcomes.reverse();
    probabilities.reverse();
    for (const [i, outcome] of outcomes.entries()) this.#outcomes.set(tokens[i] as string, outcome);
    this.#isFirst = false;
    return this.#codec.decode(outcomes).map((span) => {
      let sum = 0;
      for (const probability of probabilities.slice(span.start, span.end)) sum += probability;
      return { ...span, score: sum / (span.end - span.start) };
    });
  }

  /** Returns the most probable sequence of outcomes that a beam search finds; undefined if none is valid. */
  #search(tokens: readonly string[]): Sequence | undefined {
    const earlier: EarlierTexts = { outcomes: this.#outcomes, isFirst: this.#isFirst };
    let sequences = new BestFirst<Sequence>();
    sequences.add({ score: 0 });
    for (let i = 0; i < tokens.length; i++) {
      const features = this.#features(tokens, i, earlier);
      const next = new BestFirst<Sequence>();
      const count = Math.min(this.#beam, sequences.length);
      for (let n = 0; n < count; n++) this.#advance(sequences.next() as Sequence, tokens[i] as string, features, next);
      sequences = next;
    }
    return sequences.next();
  }

  #advance(sequence: Sequence, token: string, features: readonly string[], next: BestFirst<Sequence>): void {
    const previous = sequence.outcome;
    const po = previous ?? OTHER;
    const probabilities = this.#model.probabilities([
      ...features,
      `po=${po}`,
      `pow=${po},${token}`,
      `powf=${po},${tokenClass(token)}`,
      `ppo=${sequence.before?.outcome ?? OTHER}`,
    ]);
    const least = probabilities.toSorted((a, b) => a - b)[Math.max(0, probabilities.length - this.#beam)] as number;
    const add = (isWanted: (probability: number) => boolean) => {
      for (const [outcome, probability] of probabilities.entries()) {
        const name = this.#model.outcomes[outcome] as string;
        if (!isWanted(probability) || !this.#codec.mayFollow(name, previous)) continue;
        const score = sequence.score + Math.log(probability);
        if (score > MIN_SCORE) next.add({ score, outcome: name, probability, before: sequence });
      }
    };
    add((probability) => probability >= least);
    // If no probable outcome is valid, all valid outcomes continue.
    if (next.length === 0) add(() => true);
  }
}
