import { describe, expect, it } from 'vitest';
import { findForeignWrites, foreignCheck, type LiveState } from './live-writes.ts';

const state = (writes: number): LiveState => ({ indices: ['products-1'], uuids: 'a', writes });

describe('writes of other programs', () => {
  it('are those that no run of this process has made or may have made', () => {
    const find = (writes: number, unknown: number) =>
      findForeignWrites(state(10), state(writes), { known: 5, unknown });
    expect(find(15, 0)).toEqual({ isForeign: false, found: 'none' });
    expect(find(16, 0)).toEqual({
      isForeign: true,
      found: '1 write to products-1 that no run of this process has made, which the new index lacks',
    });
    expect(find(17, 2)).toEqual({
      isForeign: false,
      found:
        'none for certain: the origin of 2 writes to products-1 is not known, and requests of runs of this process without a known outcome may have made up to 2',
    });
  });

  it('fail a rebuild or are reported, with what to do', () => {
    const warnings: string[] = [];
    const log = { warn: (message: string) => void warnings.push(message), info: () => undefined };
    expect(foreignCheck(true, '2 writes', 'fail', log)).toEqual({
      name: 'foreignWrites',
      outcome: 'failed',
      found: '2 writes',
      expected: 'none',
      hint: expect.stringMatching(/^Let all writers run in the service of the rebuild.*foreignWrites: report\.$/),
    });
    expect(warnings).toEqual([]);
    const found = '2 writes. Run the other programs again, from before the rebuild began';
    expect(foreignCheck(true, '2 writes', 'report', log)).toMatchObject({ outcome: 'passed', found });
    expect(warnings).toEqual([`The output is replaced in spite of writes of others: ${found}`]);
    expect(foreignCheck(false, 'none', 'fail', log)).toMatchObject({ outcome: 'passed', found: 'none' });
  });
});
