import { Double, HeadraceError, textOf, type Value } from '@headrace/engine';
import type { SqlParameter } from './database.ts';

/** Converts the value of a field to a type for a statement. Null stays NULL. */
export const INPUT_TYPES = {
  String: (value: Value) => textOf(value),
  Integer: (value: Value) => wholeNumber(value),
  Long: (value: Value) => wholeNumber(value),
  Double: (value: Value) => Number(number(value)),
  Boolean: (value: Value) => (typeof value === 'string' ? value.trim() === 'true' : Number(number(value)) !== 0),
  Date: (value: Value, field: string) => day(value, field),
} as const satisfies Record<string, (value: Value, field: string) => SqlParameter>;

export type InputType = keyof typeof INPUT_TYPES;

/** Returns the value of a field for a `?`. Throws `HR_STAGE_FAILED` for an invalid date. */
export function toParameter(value: Value, type: InputType, field: string): SqlParameter {
  return value === null ? null : INPUT_TYPES[type](value, field);
}

/**
 * Converts a value to a number. A value that is not a number counts as 0 and true as 1, as in the reference's JSON
 * library.
 */
function number(value: Value): number | bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Double) return value.value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string') return 0;
  const text = value.trim();
  if (/^[+-]?\d+$/.test(text)) return BigInt(text);
  const parsed = text === '' ? Number.NaN : Number(text);
  return Number.isNaN(parsed) ? 0 : parsed;
}

/** Returns a bigint, because drivers send a number as a double. */
function wholeNumber(value: Value): bigint {
  const found = number(value);
  if (typeof found === 'bigint') return found;
  return Number.isFinite(found) ? BigInt(Math.trunc(found)) : 0n;
}

/** Returns the day of an instant in the zone of the process, such as `2024-01-02`. */
function day(value: Value, field: string): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const time = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new HeadraceError('HR_STAGE_FAILED', `Field "${field}" is not an instant such as 2024-01-02T03:04:05Z`, {
      hint: 'ParseDate turns dates in other forms into instants.',
    });
  }
  const two = (n: number) => String(n).padStart(2, '0');
  return `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
