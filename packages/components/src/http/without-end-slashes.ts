/** Removes the slashes at the end of a text. A regular expression would take minutes for a text of many slashes. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
