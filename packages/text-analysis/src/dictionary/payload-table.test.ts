import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PayloadTable, PayloadTableBuilder } from './payload-table.ts';

describe('PayloadTable', () => {
  it('stores the same entries as a Map', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'ÿ', 'Ā', '東', '\ud83d', '😀', '\0'), maxLength: 100 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.array(text, { maxLength: 3 }))), text, (rows, other) => {
        const builder = new PayloadTableBuilder();
        for (const [key, payloads] of rows) builder.set(key, payloads);
        const table = new PayloadTable(builder.finish());
        const map = new Map(rows);
        for (const key of [...map.keys(), other]) {
          const entry = table.find(key);
          expect(entry < 0 ? undefined : table.payloads(entry)).toEqual(map.get(key));
        }
      }),
    );
  });

  it('grows with the number of entries', () => {
    const builder = new PayloadTableBuilder();
    for (let i = 0; i < 20_000; i++) builder.set(`key ${i}`, [`${i}`]);
    const table = new PayloadTable(builder.finish());
    for (let i = 0; i < 20_000; i += 99) expect(table.payloads(table.find(`key ${i}`))).toEqual([`${i}`]);
    expect(table.find('key 20000')).toBe(-1);
  });
});
