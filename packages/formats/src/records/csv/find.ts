/** A position beyond the end of every text, which is still a small integer for V8. */
export const NOWHERE = 0x3fffffff;

/** Returns the next position of the text, or `NOWHERE` if it does not occur. */
export function find(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? NOWHERE : at;
}
