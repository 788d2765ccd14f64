export const POOLINGS = ['mean', 'cls', 'max'] as const;
export type Pooling = (typeof POOLINGS)[number];

/** The vectors of all tokens of a batch: for each text `length` vectors of `size` numbers. */
export interface TokenVectors {
  readonly values: Float32Array;
  readonly length: number;
  readonly size: number;
}

/**
 * Combines the vectors of the tokens of a text into one.
 * @param row the number of the text in the batch
 * @param count the number of its tokens; the others are padding
 */
export function pool(
  { values, length, size }: TokenVectors,
  row: number,
  count: number,
  pooling: Pooling,
): Float32Array {
  const start = row * length * size;
  const result = values.slice(start, start + size);
  if (pooling === 'cls') return result;
  for (let token = 1; token < count; token++) {
    const at = start + token * size;
    if (pooling === 'mean') for (let i = 0; i < size; i++) (result[i] as number) += values[at + i] as number;
    else for (let i = 0; i < size; i++) result[i] = Math.max(result[i] as number, values[at + i] as number);
  }
  return pooling === 'mean' ? result.map((sum) => sum / count) : result;
}

/** Returns the vector with the length 1. A vector of zeros stays unchanged. */
export function normalized(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  return length === 0 ? vector : vector.map((value) => value / length);
}
