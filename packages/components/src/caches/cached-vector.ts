import { hash } from 'node:crypto';
import type { GuardedCache } from './guarded-cache.ts';

const FLOAT_BYTES = 4;

/**
 * Returns the vector of a text from the cache. If it is missing, computes and stores it.
 * @param model identifies the model and everything else that changes its vectors
 */
export async function cachedVector(
  cache: GuardedCache | undefined,
  model: string,
  text: string,
  compute: () => Promise<Float32Array>,
): Promise<Float32Array> {
  if (cache === undefined) return compute();
  const key = `vector ${hash('sha256', JSON.stringify([model, text]), 'base64url')}`;
  const found = readVector(await cache.get(key));
  cache.count(found !== undefined);
  if (found !== undefined) return found;
  const vector = await compute();
  await cache.put(key, writeVector(vector));
  return vector;
}

/** Little-endian floats with their number, so that a damaged entry is not used. */
function writeVector(vector: Float32Array): Uint8Array {
  const bytes = Buffer.alloc(FLOAT_BYTES * (vector.length + 1));
  bytes.writeUInt32LE(vector.length, 0);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, FLOAT_BYTES * (i + 1));
  return bytes;
}

function readVector(stored: Uint8Array | undefined): Float32Array | undefined {
  if (stored === undefined) return undefined;
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  if (bytes.length < FLOAT_BYTES) return undefined;
  const length = bytes.readUInt32LE(0);
  if (length === 0 || bytes.length !== FLOAT_BYTES * (length + 1)) return undefined;
  return Float32Array.from({ length }, (_, i) => bytes.readFloatLE(FLOAT_BYTES * (i + 1)));
}
