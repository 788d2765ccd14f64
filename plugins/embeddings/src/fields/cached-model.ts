import { HeadraceError, type StageContext, type Static } from 'headrace/engine';
import { type CacheParameter, cachedVector, type GuardedCache, openCache } from 'headrace/storage';
import { identityOf } from '../local-files/model-files.ts';
import { EmbeddingModel } from '../model/embedding-model.ts';
import { SharedModel } from '../model/shared-model.ts';

type ModelOptions = Parameters<typeof SharedModel.open>[0];

/**
 * A model that computes each text once, if the stage has a cache. It is then opened for the first text that is not in
 * the cache: a run without new texts does not need its process and its memory.
 */
export class CachedModel {
  readonly #options: ModelOptions;
  #model: Promise<SharedModel> | undefined;
  readonly #cache: GuardedCache | undefined;
  readonly #identity: string;

  private constructor(options: ModelOptions, cache: GuardedCache | undefined, identity: string) {
    this.#options = options;
    this.#cache = cache;
    this.#identity = identity;
  }

  static async open(
    options: ModelOptions,
    settings: Static<typeof CacheParameter> | undefined,
    context: StageContext,
  ): Promise<CachedModel> {
    const { device = 'cpu' } = options;
    const isLater = settings !== undefined && device === 'cpu';
    // Without a process, only its files can be checked, and not whether a graphics card works.
    if (isLater) await EmbeddingModel.check(options);
    const cache = await openCache(settings, context);
    const { folder, dtype, pooling, normalize, maxLength } = options;
    const identity =
      cache === undefined ? '' : JSON.stringify([await identityOf(folder), dtype, pooling, normalize, maxLength]);
    const opened = new CachedModel(options, cache, identity);
    try {
      if (!isLater) await opened.load();
    } catch (error) {
      await cache?.close();
      throw error;
    }
    return opened;
  }

  /** Opens the model, once. If its process was killed, the next call opens it again. */
  load(): Promise<SharedModel> {
    if (this.#model !== undefined) return this.#model;
    const model = SharedModel.open(this.#options);
    this.#model = model;
    model.catch((error) => {
      if (error instanceof HeadraceError && error.code === 'HR_STAGE_FAILED') this.#model = undefined;
    });
    return model;
  }

  /** @param onCut called with the number of tokens of a text that is too long for the model and not in the cache */
  embed(text: string, onCut?: (tokens: number) => void): Promise<Float32Array> {
    return cachedVector(this.#cache, this.#identity, text, async () => (await this.load()).embed(text, onCut));
  }

  async close(): Promise<void> {
    // A model that could not be opened has failed its documents, and needs no closing.
    const model = await this.#model?.catch(() => undefined);
    await model?.close();
    await this.#cache?.close();
  }
}
