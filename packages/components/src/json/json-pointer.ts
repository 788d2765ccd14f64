import type { Value } from '@headrace/engine';

/**
 * Returns the unescaped reference tokens of a JSON pointer (RFC 6901), or undefined if the text is not a pointer. An
 * empty pointer has no tokens and means the whole value.
 */
export function parseJsonPointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');
  return text.slice(1).split('/').map(unescaped);
}

/** Returns the value at a pointer, or undefined if it does not exist. Positions in lists have no leading zeros. */
export function followJsonPointer(value: Value, pointer: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const token of pointer) {
    if (at instanceof Map) at = at.get(token);
    else if (Array.isArray(at) && /^(0|[1-9]\d*)$/.test(token)) at = at[Number(token)];
    else return undefined;
  }
  return at;
}
