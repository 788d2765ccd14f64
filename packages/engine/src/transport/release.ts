/**
 * Frees the memory of bytes that nobody needs any more. The collector takes its time where little else is garbage: a
 * hundred MiB of pieces would pile up.
 */
export function release({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
