import { computed } from './items.ts';
import { copyValue, isDouble, type Value } from './values.ts';

/**
 * Converts values to the form of the library and back. Whole doubles become numbers. Long integers stay bigints, which
 * the library can pass on but not compute with: an error is better than a wrong number.
 */
export class PlainData {
  /** The original of each plain list and object, so that unchanged values are returned without a copy. */
  readonly #origins = new Map<object, Value>();

  of(value: Value): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (isDouble(value)) return value.value;
    let plain: object;
    if (Array.isArray(value)) plain = value.map((item) => this.of(item));
    else if (value instanceof Map) {
      plain = Object.create(null);
      for (const [key, member] of value) (plain as Record<string, unknown>)[key] = this.of(member);
    } else return value;
    this.#origins.set(plain, value);
    return plain;
  }

  /**
   * Converts a result of the library to a value. Throws a `TypeError` for functions and for numbers that JSON lacks.
   */
  back(data: unknown): Value {
    if (typeof data === 'number') {
      if (!Number.isFinite(data)) throw new TypeError(`the result contains ${data}, which is not JSON`);
      return computed(data);
    }
    if (typeof data === 'function') throw new TypeError('the result contains a function');
    if (typeof data === 'string' || typeof data === 'boolean' || typeof data === 'bigint' || data === null) return data;
    if (typeof data !== 'object') throw new TypeError(`A ${typeof data} cannot be the value of a field`);
    const origin = this.#origins.get(data);
    if (origin !== undefined) return copyValue(origin);
    if (Array.isArray(data)) return Array.from(data, (item) => this.back(item ?? null));
    if ('_jsonata_function' in data || '_jsonata_lambda' in data) throw new TypeError('the result contains a function');
    const object = new Map<string, Value>();
    for (const [key, member] of Object.entries(data)) if (member !== undefined) object.set(key, this.back(member));
    return object;
  }
}

/** Returns a deep copy like the function `clone` of the library, but with long integers. */
export function clonePlain(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data;
  if (Array.isArray(data)) return Array.from(data, clonePlain);
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, member] of Object.entries(data)) copy[key] = clonePlain(member);
  return copy;
}
