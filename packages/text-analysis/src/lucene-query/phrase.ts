/**
 * Returns whether a field contains the terms of a phrase in this order. Each term is at its position, or the terms are
 * moved by at most `slop` positions in total.
 * @param positions the ascending positions of each term. Equal terms must have the same list object.
 */
export function matchesPhrase(positions: readonly (readonly number[])[], slop: number): boolean {
  // The start of the phrase if each term were at its position. The phrase matches if these starts are close together.
  const begins = new Set<number>();
  for (const [i, list] of slop === 0 ? [[0, positions[0] as readonly number[]] as const] : positions.entries()) {
    for (const position of list) begins.add(position - i);
  }
  for (const begin of begins) if (spread(positions, begin, slop) <= slop) return true;
  return false;
}

/**
 * Returns how far the terms are from their positions if the first term is at `begin` or later. Returns more than
 * `limit` if the phrase does not match.
 */
function spread(positions: readonly (readonly number[])[], begin: number, limit: number): number {
  const taken = new Map<readonly number[], number>();
  let most = 0;
  for (const [i, list] of positions.entries()) {
    // A term that occurs twice in the phrase needs two positions. It is enough to try them in ascending order.
    const place = firstFrom(list, Math.max(begin + i, (taken.get(list) ?? Number.NEGATIVE_INFINITY) + 1));
    if (place === undefined) return limit + 1;
    taken.set(list, place);
    most = Math.max(most, place - i - begin);
    if (most > limit) return most;
  }
  return most;
}

/** Returns the first number of an ascending list that is not below a limit. */
function firstFrom(list: readonly number[], limit: number): number | undefined {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return list[low];
}
