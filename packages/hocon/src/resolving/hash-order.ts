/**
 * Returns fields in the order in which the reference visits them, the order of Java's `HashMap`: by the hash of the
 * key, modulo the size of a table that is a power of two and at most three quarters full. The order matters for fields
 * that refer to each other in a circle: it decides which field gets a value and which one is reported.
 * @param size the total number of fields of the object
 */
export function inHashOrder<Field extends { key: string }>(fields: Field[], size: number): Field[] {
  if (fields.length < 2) return fields;
  let places = 16;
  while (size > places * 0.75) places *= 2;
  const count = fields.length;
  // The place and the index are combined in one number, because sorting numbers needs no objects.
  const order = new Float64Array(count);
  for (let i = 0; i < count; i++) order[i] = (spreadHash(fields[i]!.key) & (places - 1)) * count + i;
  return Array.from(order.sort(), (number) => fields[number % count]!);
}

function spreadHash(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash ^ (hash >>> 16);
}
