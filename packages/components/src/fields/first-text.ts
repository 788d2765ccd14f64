import { textOf, type Value } from '@headrace/engine';

/** Returns the text of a field's first value, or undefined if it has no text. */
export function firstText(value: Value | undefined): string | undefined {
  const first = Array.isArray(value) ? value[0] : value;
  if (typeof first === 'string') return first;
  return first === undefined ? undefined : (textOf(first) ?? undefined);
}
