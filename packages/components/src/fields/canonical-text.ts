import { Double, type Value, writeValue } from '@headrace/engine';

/**
 * Returns a value as JSON that is the same for equal values, and different for different ones: the names in objects are
 * sorted. Bytes are written `b"..."` with base64, and numbers that JSON lacks as `NaN` or `Infinity`, because a text
 * could have the same JSON.
 */
export function canonicalText(value: Value): string {
  if (typeof value === 'number' || value instanceof Double) {
    const number = Number(value);
    return Number.isFinite(number) ? writeValue(value) : String(number);
  }
  if (value instanceof Uint8Array) return `b${writeValue(value)}`;
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!(value instanceof Map)) return writeValue(value);
  const members = [...value.keys()].sort().map((key) => `${writeValue(key)}:${canonicalText(value.get(key) as Value)}`);
  return `{${members.join(',')}}`;
}
