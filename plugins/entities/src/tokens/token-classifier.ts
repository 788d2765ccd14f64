import {
  type Dtype,
  ModelFiles,
  maxBatchTokens,
  onnxFileNames,
  readOnnx,
  Tokenizer,
  TokenModel,
  type TokenModelOptions,
  type TokenPiece,
} from '@headrace/local-models';
import { HeadraceError, messageOf } from 'headrace/engine';
import type { ScoredToken } from './group-names.ts';

export interface ClassifierOptions extends TokenModelOptions {
  readonly folder: string;
  readonly dtype: Dtype;
}

const FOLDER_HINT =
  'The folder needs config.json with id2label, tokenizer.json or vocab.txt, and an ONNX file. Copy the files of a model of ' +
  'Hugging Face for token classification into it, or correct the path.';
/** The maximum number of tokens of a window. Models with more positions are slower with longer texts, not better. */
const MAX_WINDOW = 512;
/** Two windows share this part of their tokens, so that each token has words on both sides. */
const SHARED = 4;
/** The most windows that the model computes together. */
const MAX_BATCH = 32;

/** A part of the tokens of a text: from `start` to `end`, of which those from `keepFrom` to `keepTo` are used. */
interface Window {
  readonly start: number;
  readonly end: number;
  readonly keepFrom: number;
  readonly keepTo: number;
}

/** A model that returns the probability of each label for each token. */
export class TokenClassifier {
  /** The labels of the model, by their numbers, such as B-PER. */
  readonly labels: readonly string[];
  readonly #model: TokenModel;
  readonly #tokenizer: Tokenizer;
  readonly #window: number;
  readonly #batchTokens: number;

  private constructor(
    model: TokenModel,
    tokenizer: Tokenizer,
    labels: readonly string[],
    window: number,
    batchTokens: number,
  ) {
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.labels = labels;
    this.#window = window;
    this.#batchTokens = batchTokens;
  }

  /** Loads a model from its folder. Throws `HR_SOURCE_UNREADABLE` if a file is missing or invalid. */
  static async open({ folder, dtype, ...options }: ClassifierOptions): Promise<TokenClassifier> {
    try {
      const files = new ModelFiles(folder);
      const [config, tokens] = await Promise.all([
        files.readJson('config.json'),
        files.readJson('tokenizer_config.json'),
      ]);
      const positions = Math.min(
        MAX_WINDOW,
        numberIn(config, 'max_position_embeddings') ?? MAX_WINDOW,
        numberIn(tokens, 'model_max_length') ?? MAX_WINDOW,
      );
      const { computeMillis } = options;
      const tokenizer = await Tokenizer.open(files, { maxLength: positions, computeMillis });
      const readGraph = async () => {
        const graph = await readOnnx(files, dtype);
        if (graph === undefined) throw new Error(`the folder has none of ${onnxFileNames(dtype).join(', ')}`);
        return graph;
      };
      const labels = labelsOf(config);
      const model = await TokenModel.open(readGraph, { folder, ...options });
      return new TokenClassifier(model, tokenizer, labels, positions, maxBatchTokens(options.device));
    } catch (error) {
      if (error instanceof HeadraceError) throw error;
      const message = `Cannot load the model in ${folder}: ${messageOf(error)}`;
      throw new HeadraceError('HR_SOURCE_UNREADABLE', message, { cause: error, hint: FOLDER_HINT });
    }
  }

  /**
   * Returns the tokens of each text with their probabilities. Long texts are computed in windows that overlap; each
   * token gets the result of the window in which it is farther from the edge.
   */
  async classify(texts: readonly string[]): Promise<ScoredToken[][]> {
    const tokenizer = this.#tokenizer;
    const pieces = texts.map((text) => tokenizer.pieces(text));
    const size = this.#window - tokenizer.special;
    const windows = pieces.flatMap((tokens, text) =>
      windowsOf(tokens.length, size).map((window) => ({ ...window, text, tokens })),
    );
    // Texts of about the same length need the least padding.
    windows.sort((a, b) => b.end - b.start - (a.end - a.start));
    const results = pieces.map((tokens) => new Array<ScoredToken>(tokens.length));
    for (let at = 0, next = 0; at < windows.length; at = next) {
      const { start, end } = windows[at] as Window;
      const most = Math.floor(this.#batchTokens / (end - start + tokenizer.special));
      next = at + Math.min(MAX_BATCH, Math.max(1, most));
      const batch = windows.slice(at, next);
      const ids = batch.map(({ tokens, start, end }) =>
        tokenizer.withSpecialTokens(tokens.slice(start, end).map(({ id }) => id)),
      );
      const { values, length, size: labels } = await this.#model.run(ids, tokenizer.padding, ['logits']);
      this.#checkLabels(labels);
      for (const [row, { text, tokens, start, keepFrom, keepTo }] of batch.entries()) {
        const first = row * length + tokenizer.specialBefore - start;
        for (let i = keepFrom; i < keepTo; i++) {
          const probabilities = softmax(values.subarray((first + i) * labels, (first + i + 1) * labels));
          (results[text] as ScoredToken[])[i] = { ...(tokens[i] as TokenPiece), probabilities };
        }
      }
    }
    return results;
  }

  async close(): Promise<void> {
    await this.#model.close();
  }

  #checkLabels(found: number): void {
    if (found === this.labels.length) return;
    throw new Error(`The model has ${found} labels, but id2label in config.json has ${this.labels.length}`);
  }
}

/** Returns the windows of a text with `count` tokens. */
export function windowsOf(count: number, size: number): Window[] {
  if (count === 0) return [];
  const step = Math.max(1, size - Math.floor(size / SHARED));
  const starts = [0];
  while ((starts.at(-1) as number) + size < count)
    starts.push(Math.min((starts.at(-1) as number) + step, count - size));
  /** Each token is used in the window in which it is farther from the edge. */
  const border = (i: number) => ((starts[i] as number) + (starts[i - 1] as number) + size) >> 1;
  return starts.map((start, i) => ({
    start,
    end: Math.min(start + size, count),
    keepFrom: i === 0 ? 0 : border(i),
    keepTo: i === starts.length - 1 ? count : border(i + 1),
  }));
}

function softmax(values: Float32Array): Float32Array {
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = Float32Array.from(values, (value) => Math.exp(value - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** Returns the labels in config.json, such as `id2label: { "0": "O", "1": "B-PER" }`. */
function labelsOf(config: unknown): string[] {
  const named = (config as { id2label?: unknown } | undefined)?.id2label;
  const labels = typeof named === 'object' && named !== null ? (named as Record<string, unknown>) : {};
  const list = Object.keys(labels).map((_, id) => labels[id]);
  if (list.length > 1 && list.every((label) => typeof label === 'string')) return list as string[];
  throw new Error('config.json has no labels in id2label: the folder has no model for token classification');
}

function numberIn(config: unknown, key: string): number | undefined {
  const value = (config as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'number' ? value : undefined;
}
