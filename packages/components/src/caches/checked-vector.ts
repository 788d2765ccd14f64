import { contractError, kindOf } from '@headrace/engine';
import { cachedVector as cached } from './cached-vector.ts';
import type { GuardedCache } from './guarded-cache.ts';

/**
 * Returns the vector of a text from the cache. If it is missing, computes and stores it. Throws `HR_COMPONENT_CONTRACT` if
 * the model or the text is not a text, because different texts would get one vector, and if no vector is computed.
 * @param model identifies the model and everything else that changes its vectors
 */
export function cachedVector(
  cache: GuardedCache | undefined,
  model: string,
  text: string,
  compute: () => Promise<Float32Array>,
): Promise<Float32Array> {
  for (const [name, value] of Object.entries({ model, text })) {
    if (typeof value !== 'string') throw contractError(`The ${name} of cachedVector() is ${kindOf(value)}, not a text`);
  }
  return cached(cache, model, text, async () => {
    const vector: unknown = await compute();
    if (vector instanceof Float32Array && vector.length > 0) return vector;
    const what = vector instanceof Float32Array ? 'an empty vector' : kindOf(vector);
    throw contractError(`cachedVector() got ${what} from its function, not a Float32Array with numbers`);
  });
}
