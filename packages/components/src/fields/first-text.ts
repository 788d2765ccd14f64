import { textOf, type Value } from '@headrace/engine';

/** The text of a field's first value; undefined if there is none. */
export function firstText(value: Value | undefined): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return first;
  return first === undefined ? undefined : (textOf(first) ?? undefined);
}
