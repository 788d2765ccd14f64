/**
 * Frees the memory of bytes that are no longer needed. The garbage collector is slow to run if there is little other
 * garbage, and a hundred MiB of chunks would accumulate.
 */
export function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
