import { DataReader } from './data-reader.ts';

/** The types of models, as they are written in the file, and how sums of weights become probabilities. */
const TYPES = ['GIS', 'QN', 'Perceptron'] as const;
type ModelType = (typeof TYPES)[number];

/**
 * A linear model of OpenNLP (`opennlp.tools.ml`): the probabilities of outcomes by the features of a case. Maximum
 * entropy models (GIS, QN) and perceptrons.
 */
export class ClassModel {
  readonly outcomes: readonly string[];
  readonly #type: ModelType;
  /** The number of each feature. */
  readonly #features: ReadonlyMap<string, number>;
  /** For each feature: the outcomes that it has weights for, and the position of the first weight. */
  readonly #patterns: readonly (readonly number[])[];
  readonly #patternOf: Uint32Array;
  readonly #positions: Uint32Array;
  readonly #weights: Float64Array;

  /**
   * Reads a model in the binary format of OpenNLP: the type, the outcomes, the groups of features that have weights for
   * the same outcomes, the features, and their weights. Throws if the file is invalid or has another type.
   */
  constructor(content: Uint8Array) {
    const data = new DataReader(content);
    const type = data.text();
    if (!(TYPES as readonly string[]).includes(type)) {
      throw new Error(`the type of the model is ${type}, expected one of ${TYPES.join(', ')}`);
    }
    this.#type = type as ModelType;
    // The correction constant and its parameter, which no version uses any more.
    if (type === 'GIS') data.skip(12);
    this.outcomes = data.list(() => data.text());
    const groups = data.list(() => data.text().split(' ').filter(Boolean).map(Number));
    const names = data.list(() => data.text());
    this.#features = new Map(names.map((name, i) => [name, i]));
    this.#patterns = groups.map(([, ...outcomes]) => outcomes);
    if (this.#patterns.flat().some((outcome) => !(outcome >= 0 && outcome < this.outcomes.length))) {
      throw new Error('the model has weights for outcomes that do not exist');
    }
    const grouped = groups.reduce((sum, [count = 0]) => sum + count, 0);
    if (grouped !== names.length)
      throw new Error(`the model has weights of ${grouped} features, but ${names.length} features`);
    this.#patternOf = new Uint32Array(names.length);
    this.#positions = new Uint32Array(names.length);
    const weights: number[] = [];
    let feature = 0;
    for (const [i, [count = 0]] of groups.entries()) {
      for (let n = 0; n < count; n++, feature++) {
        this.#patternOf[feature] = i;
        this.#positions[feature] = weights.length;
        for (const _ of this.#patterns[i] as readonly number[]) weights.push(data.double());
      }
    }
    this.#weights = Float64Array.from(weights);
  }

  /** Returns the probability of each outcome. Features that the model does not know have no effect. */
  probabilities(features: readonly string[]): number[] {
    const count = this.outcomes.length;
    const sums = new Array<number>(count).fill(this.#type === 'GIS' ? Math.log(1 / count) : 0);
    for (const name of features) {
      const feature = this.#features.get(name);
      if (feature === undefined) continue;
      const pattern = this.#patterns[this.#patternOf[feature] as number] as readonly number[];
      const at = this.#positions[feature] as number;
      for (const [i, outcome] of pattern.entries()) (sums[outcome] as number) += this.#weights[at + i] as number;
    }
    // Perceptrons have sums of any size.
    const divisor = this.#type === 'Perceptron' ? Math.max(1, ...sums.map(Math.abs)) : 1;
    const powers = sums.map((sum) => Math.exp(sum / divisor));
    let total = 0;
    for (const power of powers) total += power;
    return powers.map((power) => power / total);
  }
}
