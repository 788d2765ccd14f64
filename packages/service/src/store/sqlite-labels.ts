import type { SQLInputValue } from 'node:sqlite';

/**
 * Returns the parts of a query that filters by labels. The labels are joined before their owners: the index of the
 * first label already has the order of the list, so the cost of a page does not depend on the number of labelled rows.
 * `place` is the column that defines the order and the start of the next page.
 */
export function labelled(
  owner: 'config' | 'run',
  labels: Readonly<Record<string, string>>,
): { joins: string; where: string; place: string; values: SQLInputValue[] } {
  const pairs = Object.entries(labels);
  const place = pairs.length === 0 ? 'seq' : `label0.${owner}`;
  return {
    joins: pairs.map((_, i) => `${owner}_labels label${i} CROSS JOIN `).join(''),
    where: pairs
      .map(
        (_, i) => `AND label${i}.key = ? AND label${i}.value = ? AND label${i}.${owner} = ${i === 0 ? 'seq' : place} `,
      )
      .join(''),
    place,
    values: pairs.flat(),
  };
}
