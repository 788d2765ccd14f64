/** Strips characters up to U+0020 from both ends, as jsoup does. A no-break space stays. */
export function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 32) start++;
  while (end > start && text.charCodeAt(end - 1) <= 32) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}
