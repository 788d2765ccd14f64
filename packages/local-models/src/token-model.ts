import { messageOf } from 'headrace/engine';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelFiles } from './local-files/model-files.ts';
import { loadRuntime } from './onnx-runtime.ts';

export const DTYPES = ['fp32', 'q8'] as const;
export type Dtype = (typeof DTYPES)[number];

/** What computes a model: the processor, or a graphics card. */
export const DEVICES = ['cpu', 'cuda', 'coreml', 'dml', 'webgpu'] as const;
export type Device = (typeof DEVICES)[number];

/** The ONNX files of each type, in the order of preference: the names that exporters use. */
const ONNX_FILES: Readonly<Record<Dtype, readonly string[]>> = {
  fp32: ['model.onnx', 'onnx/model.onnx'],
  q8: ['model_quantized.onnx', 'model_int8.onnx', 'onnx/model_quantized.onnx', 'onnx/model_int8.onnx'],
};

export interface TokenModelOptions {
  /** The number of processor threads that compute a batch. */
  readonly threads: number;
  /** Defaults to cpu. */
  readonly device?: Device | undefined;
}

/** The result of a batch: a vector for each token of each text. */
export interface TokenVectors {
  readonly values: Float32Array;
  /** The number of tokens of each text, with padding. */
  readonly length: number;
  /** The number of values of each vector. */
  readonly size: number;
}

/** Returns the names of the ONNX files of a type. */
export function onnxFileNames(dtype: Dtype): readonly string[] {
  return ONNX_FILES[dtype];
}

/** Returns the content of the first ONNX file of a type; undefined if the folder has none. */
export async function readOnnx(files: ModelFiles, dtype: Dtype): Promise<Uint8Array | undefined> {
  for (const name of ONNX_FILES[dtype]) {
    const content = await files.read(name);
    if (content !== undefined) return content;
  }
  return undefined;
}

/** A model of ONNX Runtime that computes a vector for each token. Works on one batch at a time. */
export class TokenModel {
  readonly #session: InferenceSession;
  readonly #makeTensor: (values: BigInt64Array, sizes: readonly number[]) => Tensor;

  private constructor(
    session: InferenceSession,
    makeTensor: (values: BigInt64Array, sizes: readonly number[]) => Tensor,
  ) {
    this.#session = session;
    this.#makeTensor = makeTensor;
  }

  /**
   * Loads a model.
   * @param graph the content of an ONNX file
   */
  static async open(graph: Uint8Array, { threads, device = 'cpu' }: TokenModelOptions): Promise<TokenModel> {
    const { InferenceSession, listSupportedBackends, Tensor } = await loadRuntime();
    const known = listSupportedBackends().map(({ name }) => name);
    if (!known.includes(device)) throw noDevice(device, `this ONNX Runtime has only ${known.join(', ')}`);
    const options: InferenceSession.SessionOptions = {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Warnings of the library about its own optimizations.
      logSeverityLevel: 3,
      // What a graphics card cannot compute, the processor computes.
      executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
    };
    const session = await InferenceSession.create(graph, options).catch((error: unknown) => {
      throw device === 'cpu' ? error : noDevice(device, messageOf(error).split('\n', 1)[0] as string);
    });
    return new TokenModel(session, (values, sizes) => new Tensor('int64', values, sizes));
  }

  /**
   * Computes a batch. Texts of about the same length are the fastest.
   * @param texts the tokens of each text
   * @param padding the token after the end of shorter texts
   * @param outputs the possible names of the output
   */
  async run(texts: readonly (readonly number[])[], padding: number, outputs: readonly string[]): Promise<TokenVectors> {
    const length = texts.reduce((longest, tokens) => Math.max(longest, tokens.length), 0);
    const ids = new BigInt64Array(texts.length * length).fill(BigInt(padding));
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
    const output = outputs.find((name) => this.#session.outputNames.includes(name));
    if (output === undefined) {
      throw new Error(
        `The model has none of the outputs ${outputs.join(', ')}, only ${this.#session.outputNames.join(', ')}`,
      );
    }
    const { [output]: result } = await this.#session.run(feeds, [output]);
    const { data, dims } = result as Tensor;
    if (!(data instanceof Float32Array) || dims.length !== 3) {
      throw new Error(`The output ${output} of the model is not a list of vectors of floats for each text`);
    }
    return { values: data, length, size: dims[2] as number };
  }

  async close(): Promise<void> {
    await this.#session.release();
  }
}

function noDevice(device: Device, reason: string): Error {
  const needs =
    device === 'cuda' ? 'cuda needs a graphics card with CUDA, and onnxruntime-node without --ignore-scripts. ' : '';
  return new Error(`device ${device} cannot be used: ${reason}. ${needs}Remove device to use the processor.`);
}
