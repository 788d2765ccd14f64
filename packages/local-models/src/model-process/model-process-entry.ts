/**
 * The entry of the process of a model. ONNX Runtime ends the whole process if its thread is terminated during a call,
 * which happens when a run is cancelled. So it has a separate process. It ends when its parent does.
 *
 * @module
 */
import onnx, { type InferenceSession, type Tensor } from 'onnxruntime-node';
import type { Answer, OpenRequest, Request, RunRequest, TokenVectors } from './messages.ts';

/** An answer without the number of its request. */
type Content<T = Answer> = T extends Answer ? Omit<T, 'id'> : never;

let session: InferenceSession | undefined;

process.on('message', async (message: Request) => {
  const content = await answerTo(message).catch(
    (error: unknown): Content => ({ type: 'failed', message: error instanceof Error ? error.message : String(error) }),
  );
  process.send?.({ id: message.id, ...content });
});
process.on('disconnect', () => process.exit());

async function answerTo(message: Request): Promise<Content> {
  if (message.type === 'open') return await open(message.request);
  return { type: 'ran', vectors: await run(session as InferenceSession, message.request) };
}

async function open({ graphBytes, threads, device }: OpenRequest): Promise<Content> {
  const graph = new Uint8Array(graphBytes);
  let at = 0;
  for await (const part of process.stdin) {
    graph.set(part, at);
    at += part.length;
  }
  const known = onnx.listSupportedBackends().map(({ name }) => name);
  if (!known.includes(device)) {
    return { type: 'failed', reason: 'device', message: `this ONNX Runtime has only ${known.join(', ')}` };
  }
  try {
    session = await onnx.InferenceSession.create(graph, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      // Warnings of the library about its own optimizations.
      logSeverityLevel: 3,
      // What a graphics card cannot compute, the processor computes.
      executionProviders: device === 'cpu' ? ['cpu'] : [device, 'cpu'],
    });
  } catch (error) {
    if (device === 'cpu') throw error;
    const [message = ''] = String((error as Error).message).split('\n', 1);
    return { type: 'failed', reason: 'device', message };
  }
  return { type: 'opened' };
}

async function run(model: InferenceSession, { ids, mask, length, outputs }: RunRequest): Promise<TokenVectors> {
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
  return { values: data, length, size: dims[2] as number };
}
