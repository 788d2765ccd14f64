import { maxBatchTokens } from '@headrace/local-models';
import { EmbeddingModel, type ModelOptions } from './embedding-model.ts';
import { TextQueue } from './text-queue.ts';

interface Loaded {
  readonly queue: Promise<{ readonly model: EmbeddingModel; readonly queue: TextQueue }>;
  users: number;
}

/** The models that stages of this thread use. ONNX Runtime cannot share a model between threads. */
const loaded = new Map<string, Loaded>();

/** A model that all stages of the thread with the same options share. */
export class SharedModel {
  readonly #key: string;
  readonly #queue: TextQueue;

  private constructor(key: string, queue: TextQueue) {
    this.#key = key;
    this.#queue = queue;
  }

  static async open(options: ModelOptions & { readonly batchSize: number }): Promise<SharedModel> {
    const key = JSON.stringify(options, Object.keys(options).sort());
    const entry = loaded.get(key) ?? { queue: load(options), users: 0 };
    loaded.set(key, entry);
    entry.users++;
    try {
      return new SharedModel(key, (await entry.queue).queue);
    } catch (error) {
      loaded.delete(key);
      throw error;
    }
  }

  /** @param onCut called with the number of tokens of a text that is too long for the model */
  embed(text: string, onCut?: (tokens: number) => void): Promise<Float32Array> {
    return this.#queue.embed(text, onCut);
  }

  async close(): Promise<void> {
    const entry = loaded.get(this.#key) as Loaded;
    entry.users--;
    if (entry.users > 0) return;
    loaded.delete(this.#key);
    await (await entry.queue).model.close();
  }
}

async function load(options: ModelOptions & { readonly batchSize: number }): Promise<Awaited<Loaded['queue']>> {
  const model = await EmbeddingModel.open(options);
  const limits = { texts: options.batchSize, tokens: maxBatchTokens(options.device) };
  return { model, queue: new TextQueue(model, limits) };
}
