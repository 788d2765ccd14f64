export type Pooling = 'mean' | 'cls' | 'max';

/**
 * Combines the vectors of the tokens of a text into one.
 * @param values for each token a vector
 * @param count the number of tokens
 * @param size the number of values of a vector
 */
export function pool(values: Float32Array, count: number, size: number, pooling: Pooling): Float32Array {
  const result = values.slice(0, size);
  if (pooling === 'cls') return result;
  for (let token = 1; token < count; token++) {
    const at = token * size;
    if (pooling === 'mean') for (let i = 0; i < size; i++) (result[i] as number) += values[at + i] as number;
    else for (let i = 0; i < size; i++) result[i] = Math.max(result[i] as number, values[at + i] as number);
  }
  return pooling === 'mean' ? result.map((sum) => sum / count) : result;
}
