/** Returns a number with its noun: `1 document`, `2 documents`, `0 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
