import { extname } from 'node:path';
import { HeadraceError, HelperProcess, messageOf } from 'headrace/engine';
import type { ModelFiles } from './local-files/model-files.ts';
import type { Batch, OpenOptions, TokenVectors } from './model-process/onnx-model.ts';
import type { Pooling } from './model-process/pooling.ts';
import { type Device, deviceError, requireRuntime } from './onnx-runtime.ts';

export type { Pooling, TokenVectors };

/** The code of the error of `onnx-model.ts`, which is loaded only in the helper process. */
const DEVICE_ERROR = 'DEVICE';

export const DTYPES = ['fp32', 'q8'] as const;
export type Dtype = (typeof DTYPES)[number];

/** The ONNX files of each type, in the order of preference: the names that exporters use. */
const ONNX_FILES: Readonly<Record<Dtype, readonly string[]>> = {
  fp32: ['model.onnx', 'onnx/model.onnx'],
  q8: ['model_quantized.onnx', 'model_int8.onnx', 'onnx/model_quantized.onnx', 'onnx/model_int8.onnx'],
};

export interface TokenModelOptions {
  /** The name of the class that uses the model, for messages. */
  readonly component: string;
  /** The folder of the model, for messages. */
  readonly folder: string;
  /** The number of processor threads that compute a batch. */
  readonly threads: number;
  /** Defaults to cpu. */
  readonly device?: Device | undefined;
  /** The maximum duration of loading the model, and of a batch, in milliseconds. Defaults to none. */
  readonly computeMillis?: number | undefined;
}

/**
 * Returns how many tokens a batch should have at most, with padding. A processor computes a few long texts as fast as
 * many, and the values of larger batches do not fit into its caches: with all-MiniLM-L6-v2, a token of 32 texts of 100
 * tokens takes 25 % longer than one of 8 texts. A graphics card computes many tokens at the same time.
 */
export function maxBatchTokens(device: Device = 'cpu'): number {
  return device === 'cpu' ? 512 : 16_384;
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

/**
 * A model of ONNX Runtime that computes a vector for each token, in a helper process. If the process ends, the
 * calls that it was computing fail, and the next call starts another.
 */
export class TokenModel {
  readonly #open: () => Promise<HelperProcess>;
  readonly #options: TokenModelOptions;
  #process: Promise<HelperProcess>;
  #closed = false;

  private constructor(open: () => Promise<HelperProcess>, options: TokenModelOptions, process: HelperProcess) {
    this.#open = open;
    this.#options = options;
    this.#process = Promise.resolve(process);
  }

  /**
   * Loads a model.
   * @param readGraph returns the content of an ONNX file. It is called again if the process of the model ended.
   */
  static async open(readGraph: () => Promise<Uint8Array>, options: TokenModelOptions): Promise<TokenModel> {
    requireRuntime();
    const open = () => openProcess(readGraph, options);
    return new TokenModel(open, options, await open());
  }

  /**
   * Computes a batch. Texts of about the same length are the fastest.
   * @param texts the tokens of each text
   * @param padding the token after the end of shorter texts
   * @param outputs the possible names of the output
   * @param pooling how the vectors of the tokens become one for each text; without it, each token keeps its vector
   */
  async run(
    texts: readonly (readonly number[])[],
    padding: number,
    outputs: readonly string[],
    pooling?: Pooling,
  ): Promise<TokenVectors> {
    const length = texts.reduce((longest, tokens) => Math.max(longest, tokens.length), 0);
    const ids = new BigInt64Array(texts.length * length).fill(BigInt(padding));
    const mask = new BigInt64Array(ids.length);
    for (const [row, tokens] of texts.entries()) {
      ids.set(tokens.map(BigInt), row * length);
      mask.fill(1n, row * length, row * length + tokens.length);
    }
    const model = await this.#running();
    const batch: Batch = { ids, mask, length, counts: texts.map((tokens) => tokens.length), outputs, pooling };
    try {
      return await model.call('run', batch);
    } catch (error) {
      throw model.alive || this.#closed ? error : processEnded(this.#options, 'computed', error);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    const model = await this.#process.catch(() => undefined);
    model?.close();
  }

  async #running(): Promise<HelperProcess> {
    const current = this.#process;
    const model = await current.catch(() => undefined);
    if (this.#closed) throw new Error('The model was closed');
    if (model?.alive === true) return model;
    // Of several calls that find the process ended, the first one starts another.
    if (this.#process === current) this.#process = this.#open();
    return await this.#process;
  }
}

async function openProcess(
  readGraph: () => Promise<Uint8Array>,
  modelOptions: TokenModelOptions,
): Promise<HelperProcess> {
  const { threads, device = 'cpu', computeMillis } = modelOptions;
  const graph = await readGraph();
  const module = new URL(`./model-process/onnx-model${extname(import.meta.url)}`, import.meta.url);
  const maxBytes = LEAST_BYTES + COPIES * graph.length;
  const process = HelperProcess.start(module, { input: graph, maxBytes, callMillis: computeMillis });
  try {
    const options: OpenOptions = { threads, device };
    await process.call('open', options);
    return process;
  } catch (error) {
    if (!process.alive) throw processEnded(modelOptions, 'loaded', error);
    process.close();
    throw (error as { code?: string }).code === DEVICE_ERROR ? deviceError(device, messageOf(error)) : error;
  }
}

/** The memory of a small model with its batches. A model is in memory as a file, as a graph and as prepared weights. */
const LEAST_BYTES = 2 * 1024 * 1024 * 1024;
const COPIES = 4;

const MEMORY_HINT =
  'Give the machine or container more memory, or use less: fewer pipeline threads, each of which loads the model, ' +
  'weights of 8 bits or a smaller model. Then run the failed documents again.';
const CRASH_HINT =
  'Run the failed documents again. If it happens again, try another model or an ONNX file of this one.';

const OVERDUE_HINT =
  'Raise worker.maxProcessingSecs, use more threads, a smaller model or weights of 8 bits, or shorten the texts (maxLength).';

/** Returns the error for a process that ended while it loaded the model or computed texts. */
function processEnded({ component, folder }: TokenModelOptions, what: 'loaded' | 'computed', error: unknown): Error {
  const how = messageOf(error);
  const did = what === 'loaded' ? `loaded the model in ${folder}` : `computed texts with the model in ${folder}`;
  if (error instanceof HeadraceError && error.code === 'HR_STAGE_OVERDUE') {
    const message = `${component} ${did}: ${how}`;
    return new HeadraceError(error.code, message, { cause: error, hint: OVERDUE_HINT });
  }
  if (error instanceof HeadraceError && error.code === 'HR_MEMORY_LIMIT') {
    return new HeadraceError(error.code, `${component} ${did}: ${how}`, { cause: error, hint: MEMORY_HINT });
  }
  const isKilled = how.includes('SIGKILL');
  const cause = isKilled ? '. Probably the memory was used up, and the operating system ended the process' : '';
  const hint = isKilled ? MEMORY_HINT : CRASH_HINT;
  return new HeadraceError('HR_STAGE_FAILED', `${component} ${did}: ${how}${cause}`, { cause: error, hint });
}
