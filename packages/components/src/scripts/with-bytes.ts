import { base64, type Value } from '@headrace/engine';

/**
 * Restores the bytes in a value that a script returned. Scripts see bytes as base64 text. A text that equals the base64
 * of the original bytes becomes these bytes again.
 *
 * @param value the returned value, which may be changed in place
 * @param before the value that was sent to the script, undefined for a new field
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
