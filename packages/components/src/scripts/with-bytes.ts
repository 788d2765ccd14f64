import { base64, type Value } from '@headrace/engine';

/**
 * A value that comes back from where bytes are a text in base64: where the text is what the bytes there were, they are
 * bytes again.
 *
 * @param value may be changed
 * @param before what had gone out, undefined for nothing
 */
export function withBytes(value: Value, before: Value | undefined): Value {
  if (typeof before !== 'object' || before === null) return value;
  if (before instanceof Uint8Array) return value === base64(before) ? before : value;
  if (Array.isArray(before) && Array.isArray(value)) {
    for (const [i, item] of value.entries()) value[i] = withBytes(item, before[i]);
  } else if (before instanceof Map && value instanceof Map) {
    for (const [key, member] of value) value.set(key, withBytes(member, before.get(key)));
  }
  return value;
}
