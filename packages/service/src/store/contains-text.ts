/** Returns whether a text contains another one, without regard to the case of ASCII letters, as SQLite does. */
export function containsText(text: string, part: string): boolean {
  return lower(text).includes(lower(part));
}

function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
