import type { StageContext, Static } from 'headrace/engine';
import { type CacheParameter, cachedVector, type GuardedCache, openCache } from 'headrace/storage';
import { identityOf } from '../local-files/model-files.ts';
import { SharedModel } from '../model/shared-model.ts';

type ModelOptions = Parameters<typeof SharedModel.open>[0];

/** A model that computes each text once, if the stage has a cache. */
export class CachedModel {
  readonly #model: SharedModel;
  readonly #cache: GuardedCache | undefined;
  readonly #identity: string;

  private constructor(model: SharedModel, cache: GuardedCache | undefined, identity: string) {
    this.#model = model;
    this.#cache = cache;
    this.#identity = identity;
  }

  static async open(
    options: ModelOptions,
    settings: Static<typeof CacheParameter> | undefined,
    context: StageContext,
  ): Promise<CachedModel> {
    const model = await SharedModel.open(options);
    const cache = await openCache(settings, context);
    const { folder, dtype, pooling, normalize, maxLength } = options;
    const identity =
      cache === undefined ? '' : JSON.stringify([await identityOf(folder), dtype, pooling, normalize, maxLength]);
    return new CachedModel(model, cache, identity);
  }

  embed(text: string): Promise<Float32Array> {
    return cachedVector(this.#cache, this.#identity, text, () => this.#model.embed(text));
  }

  async close(): Promise<void> {
    await this.#model.close();
    await this.#cache?.close();
  }
}
