/**
 * A model in a helper process. ONNX Runtime ends the whole process if its thread is terminated during a call.
 *
 * @module
 */
import onnx, { type InferenceSession, type Tensor } from 'onnxruntime-node';
import { hasExternalData } from './external-data.ts';
import { type Pooling, pool } from './pooling.ts';

export interface OpenOptions {
  readonly threads: number;
  readonly device: string;
}

/** A batch: for each text `length` tokens. */
export interface Batch {
  readonly ids: BigInt64Array;
  readonly mask: BigInt64Array;
  readonly length: number;
  /** For each text the number of its tokens without padding. */
  readonly counts: readonly number[];
  /** The possible names of the output. */
  readonly outputs: readonly string[];
  /** How the vectors of the tokens become one for each text. Undefined if each token keeps its vector. */
  readonly pooling: Pooling | undefined;
}

/** The result of a batch: a vector for each token of each text, or one for each text. */
export interface TokenVectors {
  readonly values: Float32Array;
  /** The number of vectors of each text: of its tokens with padding, or 1. */
  readonly length: number;
  /** The number of values of each vector. */
  readonly size: number;
}

let graph: Uint8Array | undefined;
let session: InferenceSession | undefined;

const EXTERNAL =
  'the ONNX file has data in another file, which is not read. Save the model in one file, in Python with ' +
  'onnx.save_model(onnx.load(path), path, save_as_external_data=False)';

/** Receives the ONNX file, before `open`. */
export function receive(input: Uint8Array): void {
  graph = input;
}

/** Loads the model, once. */
export async function open({ threads, device }: OpenOptions): Promise<void> {
  const model = graph as Uint8Array;
  graph = undefined;
  // The runtime would read any file that the model names, and return it as numbers.
  if (hasExternalData(model)) throw new Error(EXTERNAL);
  const known = onnx.listSupportedBackends().map(({ name }) => name);
  if (!known.includes(device)) throw deviceError(`this ONNX Runtime has only ${known.join(', ')}`);
  try {
    session = await onnx.InferenceSession.create(model, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Warnings of the library about its own optimizations.
      logSeverityLevel: 3,
      // What a graphics card cannot compute, the processor computes.
      executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
    });
  } catch (error) {
    throw device === 'cpu' ? error : deviceError((error as Error).message.split('\n', 1)[0] as string);
  }
}

export async function run({ ids, mask, length, counts, outputs, pooling }: Batch): Promise<TokenVectors> {
  const model = session as InferenceSession;
  const tensor = (values: BigInt64Array) => new onnx.Tensor('int64', values, [ids.length / length, length]);
  const feeds: Record<string, Tensor> = { input_ids: tensor(ids), attention_mask: tensor(mask) };
  if (model.inputNames.includes('token_type_ids')) feeds.token_type_ids = tensor(new BigInt64Array(ids.length));
  const output = outputs.find((name) => model.outputNames.includes(name));
  if (output === undefined) {
    throw new Error(`The model has none of the outputs ${outputs.join(', ')}, only ${model.outputNames.join(', ')}`);
  }
  const { [output]: result } = await model.run(feeds, [output]);
  const { data, dims } = result as Tensor;
  if (!(data instanceof Float32Array) || dims.length !== 3) {
    throw new Error(`The output ${output} of the model is not a list of vectors of floats for each text`);
  }
  const size = dims[2] as number;
  if (pooling === undefined) return { values: data, length, size };
  // All vectors of the tokens are a hundred times as many bytes, which would be sent to the thread of the run.
  const values = new Float32Array(counts.length * size);
  for (const [row, count] of counts.entries()) {
    values.set(pool(data.subarray(row * length * size), count, size, pooling), row * size);
  }
  return { values, length: 1, size };
}

function deviceError(reason: string): Error {
  return Object.assign(new Error(reason), { code: 'DEVICE' });
}
