/** Beyond the end of every text, but still a small integer. */
export const NOWHERE = 0x3fffffff;

/** Returns the next position of the text; beyond the end if it does not occur. */
export function find(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from);
  return at < 0 ? NOWHERE : at;
}
