import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { isCsvRow } from '../csv/is-row.ts';
import { endLastRow } from './row-ends.ts';

const cell = fc.oneof(fc.string(), fc.constantFrom('"', '\n', '","', 'é\n"', ''), fc.constant(null));
const csv = { quoted: true, isComplete: (row: string) => isCsvRow(row, 2) };

function rowOf(cells: readonly (string | null)[]): string {
  return `${cells.map((text) => (text === null ? '' : `"${text.replaceAll('"', '""')}"`)).join(',')}\n`;
}

it('keeps the complete CSV rows, wherever a killed process has stopped', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-rows-'));
  const file = await open(join(folder, 'out.csv'), 'w+');
  onTestFinished(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), fc.nat(), async (cells, cut) => {
      const rows = cells.map(rowOf);
      const bytes = Buffer.from(rows.join(''));
      const left = bytes.subarray(0, cut % (bytes.length + 1));
      await file.truncate(0);
      await file.write(left, 0, left.length, 0);
      let complete = 0;
      for (const row of rows) {
        if (complete + Buffer.byteLength(row) > left.length) break;
        complete += Buffer.byteLength(row);
      }
      const length = await endLastRow(file, left.length, csv, true);
      const rest = left.subarray(complete).toString();
      // A part of a row may look like a complete row. It does not change the rows around it.
      const isRow = rest !== '' && isCsvRow(rest, 2);
      const wanted = isRow ? Buffer.concat([left, Buffer.from('\n')]) : left.subarray(0, complete);
      const found = Buffer.alloc(wanted.length + 1);
      const { bytesRead } = await file.read(found, 0, found.length, 0);
      expect(found.subarray(0, bytesRead).equals(wanted)).toBe(true);
      expect(length).toBe(wanted.length);
    }),
  );
});
