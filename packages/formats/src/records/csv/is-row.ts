/** Returns whether a text is a row of this number of columns: comma, quotes, no line feed at its end. */
export function isCsvRow(text: string, columns: number): boolean {
  const parts = text.split('"');
  if (parts.length % 2 === 0) return false;
  let cells = 1;
  // The other parts are inside quotes.
  for (let i = 0; i < parts.length; i += 2) cells += (parts[i] as string).split(',').length - 1;
  return cells === columns;
}
