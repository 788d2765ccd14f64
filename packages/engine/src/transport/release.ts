/**
 * Frees the memory of bytes that are no longer needed. Without it, chunks of about 100 MiB would accumulate, because
 * the garbage collector rarely runs if there is little other garbage.
 */
export function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
