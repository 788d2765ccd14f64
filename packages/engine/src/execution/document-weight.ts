import type { Document } from '../document/document.ts';

/** A text counts one for each 64 characters (2 to the power of this number), as much memory as a list element takes. */
const CHARACTERS_BITS = 6;

/** Returns about how many small values a document contains. It reads no nested objects. */
export function weightOf({ fieldValues }: Document): number {
  let weight = fieldValues.length;
  for (let i = 0; i < fieldValues.length; i++) {
    const value = fieldValues[i];
    if (typeof value === 'string') weight += value.length >> CHARACTERS_BITS;
    else if (Array.isArray(value)) weight += value.length;
  }
  return weight;
}
