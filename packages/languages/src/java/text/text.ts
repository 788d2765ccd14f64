/** Returns Java's `String.trim`: strips characters up to U+0020 from both ends. A no-break space stays. */
export function javaTrim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && text.charCodeAt(start) <= 32) start++;
  while (end > start && text.charCodeAt(end - 1) <= 32) end--;
  return start === 0 && end === text.length ? text : text.slice(start, end);
}

/**
 * Returns Java's `String.isBlank`: whether all characters are `Character.isWhitespace`, which excludes no-break spaces.
 */
export function isBlank(text: string): boolean {
  return /^[\t-\r\u001c-\u001f\u0020\u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000]*$/.test(text);
}
