/** A text without the slashes at its end. The regular expression for that takes minutes for a text of many slashes. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
