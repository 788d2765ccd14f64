import type { EmbeddingModel } from './embedding-model.ts';

interface Waiting {
  /** Older texts have smaller numbers. */
  readonly number: number;
  readonly tokens: readonly number[];
  readonly resolve: (vector: Float32Array) => void;
  readonly reject: (reason: unknown) => void;
}

export interface BatchLimits {
  readonly texts: number;
  /** The tokens of all texts, with the padding of shorter ones. A longer text is alone in its batch. */
  readonly tokens: number;
}

/** The model has its next batch when it ends one. */
const BATCHES_AT_MODEL = 2;

/**
 * Collects the texts of documents that are processed at the same time into batches. While the model works on a batch,
 * texts wait for the next one. Each batch contains texts of about the same length, because the model computes as many
 * tokens for each text as the longest one has.
 */
export class TextQueue {
  readonly #model: Pick<EmbeddingModel, 'tokens' | 'embed'>;
  readonly #limits: BatchLimits;
  readonly #waiting: Waiting[] = [];
  #numbers = 0;
  #batches = 0;
  #isPlanned = false;

  constructor(model: Pick<EmbeddingModel, 'tokens' | 'embed'>, limits: BatchLimits) {
    this.#model = model;
    this.#limits = limits;
  }

  /** @param onCut called with the number of tokens of a text that is too long for the model */
  embed(text: string, onCut?: (tokens: number) => void): Promise<Float32Array> {
    const tokens = this.#model.tokens(text, onCut);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ number: this.#numbers++, tokens, resolve, reject });
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      // The other documents of this turn of the event loop add their texts first.
      setImmediate(() => {
        this.#isPlanned = false;
        this.#work();
      });
    });
  }

  #work(): void {
    while (this.#waiting.length > 0 && this.#batches < BATCHES_AT_MODEL) void this.#embed(this.#nextBatch());
  }

  /** Never rejects. */
  async #embed(batch: readonly Waiting[]): Promise<void> {
    this.#batches++;
    try {
      const vectors = await this.#model.embed(batch.map(({ tokens }) => tokens));
      for (const [i, { resolve }] of batch.entries()) resolve(vectors[i] as Float32Array);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#batches--;
    this.#work();
  }

  /** Removes and returns the oldest text and those whose lengths are the nearest: no text waits for all longer ones. */
  #nextBatch(): Waiting[] {
    const waiting = this.#waiting.sort((a, b) => b.tokens.length - a.tokens.length);
    let from = 0;
    for (const [i, { number }] of waiting.entries()) if (number < (waiting[from] as Waiting).number) from = i;
    let to = from + 1;
    const fits = (start: number, end: number) => {
      const count = end - start;
      const longest = waiting[start]?.tokens.length ?? Number.POSITIVE_INFINITY;
      return end <= waiting.length && count <= this.#limits.texts && count * longest <= this.#limits.tokens;
    };
    while (fits(from, to + 1)) to++;
    while (fits(from - 1, to)) from--;
    return waiting.splice(from, to - from);
  }
}
