import {
  type Dtype,
  ModelFiles,
  onnxFileNames,
  readOnnx,
  requireRuntime,
  Tokenizer,
  TokenModel,
  type TokenModelOptions,
} from '@headrace/local-models';
import { bertGraph } from './bert-graph.ts';
import { modelError } from './model-error.ts';
import { type ModelSettings, readModelSettings } from './model-settings.ts';
import { normalized } from './normalized.ts';
import { Safetensors } from './safetensors.ts';

export interface ModelOptions extends Partial<ModelSettings>, TokenModelOptions {
  readonly folder: string;
  readonly dtype: Dtype;
}

const SAFETENSORS = 'model.safetensors';
/** The outputs with the vectors of all tokens. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings'];

/** A model that turns texts into vectors. */
export class EmbeddingModel {
  readonly #model: TokenModel;
  readonly #tokenizer: Tokenizer;
  readonly #settings: ModelSettings;

  private constructor(model: TokenModel, tokenizer: Tokenizer, settings: ModelSettings) {
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.#settings = settings;
  }

  /** Loads a model. Throws if a file is missing or invalid; the message names the folder. */
  static async open(options: ModelOptions): Promise<EmbeddingModel> {
    const { folder, dtype } = options;
    try {
      const files = new ModelFiles(folder);
      const settings = await readModelSettings(files, options);
      const { maxLength } = settings;
      const tokenizer = await Tokenizer.open(files, { maxLength, computeMillis: options.computeMillis });
      const model = await TokenModel.open(() => readGraph(files, dtype), options);
      return new EmbeddingModel(model, tokenizer, settings);
    } catch (error) {
      throw modelError(folder, error);
    }
  }

  /** Reports what `open` would report about the files of a model without a process. */
  static async check({ folder, dtype, ...options }: ModelOptions): Promise<void> {
    requireRuntime();
    try {
      const files = new ModelFiles(folder);
      const { maxLength } = await readModelSettings(files, options);
      await Tokenizer.open(files, { maxLength, computeMillis: options.computeMillis });
      await readGraph(files, dtype);
    } catch (error) {
      throw modelError(folder, error);
    }
  }

  /**
   * Returns the tokens of a text, for `embed`.
   * @param onCut called with the number of tokens of a text that is too long for the model
   */
  tokens(text: string, onCut?: (tokens: number) => void): readonly number[] {
    return this.#tokenizer.encode(text, onCut);
  }

  /** Returns the vector of each text. Texts of about the same length are the fastest. */
  async embed(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const { pooling, normalize } = this.#settings;
    const { values, size } = await this.#model.run(texts, this.#tokenizer.padding, OUTPUTS, pooling);
    return texts.map((_, row) => {
      const vector = values.slice(row * size, (row + 1) * size);
      return normalize ? normalized(vector) : vector;
    });
  }

  async close(): Promise<void> {
    await this.#model.close();
  }
}

/** Returns the content of an ONNX file of the folder, or builds it from the weights. */
async function readGraph(files: ModelFiles, dtype: Dtype): Promise<Uint8Array> {
  const exported = await readOnnx(files, dtype);
  if (exported !== undefined) return exported;
  const weights = await files.read(SAFETENSORS);
  if (weights !== undefined)
    return bertGraph(await files.readJson('config.json'), new Safetensors(weights), dtype === 'q8');
  throw new Error(`the folder has neither ${SAFETENSORS} nor one of ${onnxFileNames(dtype).join(', ')}`);
}
