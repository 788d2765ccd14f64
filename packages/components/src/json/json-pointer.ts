import type { Value } from '@headrace/engine';

/** The reference tokens of a JSON pointer (RFC 6901), unescaped; undefined if the text is none. The empty one is the whole. */
export function parseJsonPointer(text: string): readonly string[] | undefined {
  if (text === '') return [];
  if (!text.startsWith('/')) return undefined;
  const unescaped = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');
  return text.slice(1).split('/').map(unescaped);
}

/** What a pointer finds in a value; undefined for nothing. Positions in lists have no leading zeros. */
export function followJsonPointer(value: Value, pointer: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const token of pointer) {
    if (at instanceof Map) at = at.get(token);
    else if (Array.isArray(at) && /^(0|[1-9]\d*)$/.test(token)) at = at[Number(token)];
    else return undefined;
  }
  return at;
}
