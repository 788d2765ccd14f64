import type { SQLInputValue } from 'node:sqlite';

/**
 * Joins the labels before their owners: the index of the first one has the places in order already, so a page costs the
 * same with any number of labelled rows. `place` is the order and the start of the next page.
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
