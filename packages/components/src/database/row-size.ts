import type { Value } from '@headrace/engine';

/** A batch of rows is passed on when it has so many characters and bytes, so that large values are not collected. */
export const BATCH_BYTES = 512 * 1024;

/** Estimates the characters and bytes of the values of a row. */
export function sizeOfRow(values: readonly Value[]): number {
  let size = 0;
  for (const value of values) {
    if (typeof value === 'string' || value instanceof Uint8Array) size += value.length;
    else size += Array.isArray(value) ? sizeOfRow(value) : 8;
  }
  return size;
}
