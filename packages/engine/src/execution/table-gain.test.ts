import { describe, expect, it } from 'vitest';
import { TableGain } from './table-gain.ts';

/** Notes tables of this size until no more should be built. Returns their number, or `most`. */
function notedTables(gain: TableGain, documents: number, most = 1000): number {
  let tables = 1;
  while (gain.note(documents) && tables < most) tables++;
  return tables;
}

describe('TableGain', () => {
  it('expects a gain before any table was built', () => {
    expect(new TableGain().isExpected(256)).toBe(true);
  });

  it('expects a gain after large tables', () => {
    const gain = new TableGain();
    expect(notedTables(gain, 8)).toBe(1000);
    expect(gain.isExpected(256)).toBe(true);
  });

  it('expects no gain for a while after eight small tables', () => {
    const gain = new TableGain();
    expect(notedTables(gain, 7)).toBe(8);
    for (let i = 0; i < 64; i++) expect(gain.isExpected(256)).toBe(false);
    expect(gain.isExpected(256)).toBe(true);
    expect(notedTables(gain, 1)).toBe(8);
  });
});
