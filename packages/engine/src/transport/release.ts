import { isMarkedAsUntransferable } from 'node:worker_threads';

/**
 * Frees the memory of bytes that are no longer needed. Without it, chunks of about 100 MiB would accumulate, because
 * the garbage collector rarely runs if there is little other garbage. Small Buffers share memory with other Buffers, so
 * nothing is freed for them.
 */
export function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && !isMarkedAsUntransferable(buffer)) buffer.transfer(0);
}
