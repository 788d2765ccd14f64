const BACKSLASH = 92;

/** Returns whether an unescaped backslash is before the character at this position. */
export function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (first > 0 && text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}
