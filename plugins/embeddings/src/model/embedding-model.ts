import { messageOf } from 'headrace/engine';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { ModelFiles } from '../local-files/model-files.ts';
import { loadRuntime } from '../runtime/onnx-runtime.ts';
import { bertGraph } from './bert-graph.ts';
import { type ModelSettings, readModelSettings } from './model-settings.ts';
import { normalized, pool } from './pooling.ts';
import { Safetensors } from './safetensors.ts';
import { Tokenizer } from './tokenizer.ts';

export const DTYPES = ['fp32', 'q8'] as const;
export type Dtype = (typeof DTYPES)[number];

export interface ModelOptions extends Partial<ModelSettings> {
  readonly folder: string;
  readonly dtype: Dtype;
  /** The number of threads that compute a batch. */
  readonly threads: number;
}

/** The ONNX files of each type, in the order of preference: the names that exporters use. */
const ONNX_FILES: Readonly<Record<Dtype, readonly string[]>> = {
  fp32: ['model.onnx', 'onnx/model.onnx'],
  q8: ['model_quantized.onnx', 'model_int8.onnx', 'onnx/model_quantized.onnx', 'onnx/model_int8.onnx'],
};
const SAFETENSORS = 'model.safetensors';
/** The outputs with the vectors of all tokens. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings'];

/** A model that turns texts into vectors. Works on one batch at a time. */
export class EmbeddingModel {
  readonly #session: InferenceSession;
  readonly #makeTensor: (values: BigInt64Array, sizes: readonly number[]) => Tensor;
  readonly #tokenizer: Tokenizer;
  readonly #settings: ModelSettings;

  private constructor(
    session: InferenceSession,
    makeTensor: (values: BigInt64Array, sizes: readonly number[]) => Tensor,
    tokenizer: Tokenizer,
    settings: ModelSettings,
  ) {
    this.#session = session;
    this.#makeTensor = makeTensor;
    this.#tokenizer = tokenizer;
    this.#settings = settings;
  }

  /** Loads a model. Throws if a file is missing or invalid; the message names the folder. */
  static async open(options: ModelOptions): Promise<EmbeddingModel> {
    const { InferenceSession, Tensor } = await loadRuntime();
    const { folder, dtype, threads } = options;
    try {
      const files = new ModelFiles(folder);
      const settings = await readModelSettings(files, options);
      const tokenizer = await Tokenizer.open(files, settings.maxLength);
      const session = await InferenceSession.create(await readGraph(files, dtype), {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        // Warnings of the library about its own optimizations.
        logSeverityLevel: 3,
      });
      const makeTensor = (values: BigInt64Array, sizes: readonly number[]) => new Tensor('int64', values, sizes);
      return new EmbeddingModel(session, makeTensor, tokenizer, settings);
    } catch (error) {
      throw new Error(`Cannot load the model in ${folder}: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Returns the tokens of a text, for `embed`. */
  tokens(text: string): readonly number[] {
    return this.#tokenizer.encode(text);
  }

  /** Returns the vector of each text. Texts of about the same length are the fastest. */
  async embed(texts: readonly (readonly number[])[]): Promise<Float32Array[]> {
    const length = texts.reduce((longest, tokens) => Math.max(longest, tokens.length), 0);
    const ids = new BigInt64Array(texts.length * length).fill(BigInt(this.#tokenizer.padding));
    const mask = new BigInt64Array(ids.length);
    for (const [row, tokens] of texts.entries()) {
      ids.set(tokens.map(BigInt), row * length);
      mask.fill(1n, row * length, row * length + tokens.length);
    }
    const tensor = (values: BigInt64Array) => this.#makeTensor(values, [texts.length, length]);
    const feeds: Record<string, Tensor> = { input_ids: tensor(ids), attention_mask: tensor(mask) };
    if (this.#session.inputNames.includes('token_type_ids')) {
      feeds.token_type_ids = tensor(new BigInt64Array(ids.length));
    }
    const output = OUTPUTS.find((name) => this.#session.outputNames.includes(name));
    if (output === undefined) {
      throw new Error(
        `The model has none of the outputs ${OUTPUTS.join(', ')}, only ${this.#session.outputNames.join(', ')}`,
      );
    }
    const { [output]: result } = await this.#session.run(feeds, [output]);
    const { data, dims } = result as Tensor;
    if (!(data instanceof Float32Array) || dims.length !== 3) {
      throw new Error(`The output ${output} of the model is not a list of vectors of floats for each text`);
    }
    const vectors = { values: data, length, size: dims[2] as number };
    const { pooling, normalize } = this.#settings;
    return texts.map((tokens, row) => {
      const vector = pool(vectors, row, tokens.length, pooling);
      return normalize ? normalized(vector) : vector;
    });
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

/** Returns the content of an ONNX file of the folder, or builds it from the weights. */
async function readGraph(files: ModelFiles, dtype: Dtype): Promise<Uint8Array> {
  for (const name of ONNX_FILES[dtype]) {
    const content = await files.read(name);
    if (content !== undefined) return content;
  }
  const weights = await files.read(SAFETENSORS);
  if (weights !== undefined)
    return bertGraph(await files.readJson('config.json'), new Safetensors(weights), dtype === 'q8');
  throw new Error(`the folder has neither ${SAFETENSORS} nor one of ${ONNX_FILES[dtype].join(', ')}`);
}
