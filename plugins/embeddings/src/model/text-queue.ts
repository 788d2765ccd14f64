import type { EmbeddingModel } from './embedding-model.ts';

interface Waiting {
  readonly tokens: readonly number[];
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Collects the texts of documents that are processed at the same time into batches. While the model works on a batch,
 * texts wait for the next one. Each batch contains texts of about the same length, because the model computes as many
 * tokens for each text as the longest one has.
 */
export class TextQueue {
  readonly #model: Pick<EmbeddingModel, 'tokens' | 'embed'>;
  readonly #batchSize: number;
  #waiting: Waiting[] = [];
  #isWorking = false;

  constructor(model: Pick<EmbeddingModel, 'tokens' | 'embed'>, batchSize: number) {
    this.#model = model;
    this.#batchSize = batchSize;
  }

  embed(text: string): Promise<Float32Array> {
    const tokens = this.#model.tokens(text);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tokens, resolve, reject });
      if (this.#isWorking) return;
      this.#isWorking = true;
      // The other documents of this turn of the event loop add their texts first.
      setImmediate(() => void this.#work());
    });
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      this.#waiting.sort((a, b) => b.tokens.length - a.tokens.length);
      const batch = this.#waiting.splice(0, this.#batchSize);
      try {
        const vectors = await this.#model.embed(batch.map(({ tokens }) => tokens));
        for (const [i, { resolve }] of batch.entries()) resolve(vectors[i] as Float32Array);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWorking = false;
  }
}
