import { describe, expect, it } from 'vitest';
import { DeletedRows } from './deleted-rows.ts';
import { addVector } from './deletion-vector.ts';

const MAGIC = 1681511377;
const NO_RUNS = 12346;
const WITH_RUNS = 12347;

/** Writes numbers of 16, 32 and 64 bits, of which the lowest byte is first. */
function bytes(...parts: ['16' | '32' | '64', ...number[]][]): Buffer {
  return Buffer.concat(
    parts.flatMap(([bits, ...numbers]) =>
      numbers.map((number) => {
        const buffer = Buffer.alloc(Number(bits) / 8);
        if (bits === '64') buffer.writeBigUInt64LE(BigInt(number));
        else buffer.writeUIntLE(number, 0, buffer.length);
        return buffer;
      }),
    ),
  );
}

/** A vector with one bitmap. */
function vector(key: number, ...bitmap: Parameters<typeof bytes>): Buffer {
  return bytes(['32', MAGIC], ['64', 1], ['32', key], ...bitmap);
}

function rowsOf(content: Uint8Array, cardinality: number, rows: number): number[] {
  const deleted = new DeletedRows(rows);
  addVector(content, cardinality, deleted);
  return Array.from({ length: rows }, (_, row) => row).filter((row) => deleted.has(row));
}

describe('addVector', () => {
  it('reads several containers, and lists of values', () => {
    const content = vector(0, ['32', NO_RUNS, 2], ['16', 0, 1, 1, 0], ['32', 0, 0], ['16', 3, 7, 5]);
    expect(rowsOf(content, 3, 70_000)).toEqual([3, 7, 2 ** 16 + 5]);
  });

  it.each<[string, Buffer, number, string]>([
    ['an unknown format', bytes(['32', 7]), 0, 'the unknown format 7'],
    ['an unknown cookie', vector(0, ['32', 5]), 0, 'the unknown cookie 5'],
    ['no end', vector(0, ['32', NO_RUNS, 1]), 0, 'ends too early'],
    ['too many containers', vector(0, ['32', NO_RUNS, 70_000]), 0, 'has 70000 containers'],
    ['billions of bitmaps', bytes(['32', MAGIC], ['64', 2 ** 50]), 0, 'ends too early'],
    [
      'rows that the file does not have',
      vector(1, ['32', NO_RUNS, 1], ['16', 0, 0], ['32', 16], ['16', 5]),
      1,
      'the file has',
    ],
    [
      'fewer rows than stated',
      vector(0, ['32', NO_RUNS, 1], ['16', 0, 0], ['32', 16], ['16', 5]),
      2,
      'the table states 2',
    ],
    [
      'the same container twice',
      vector(0, ['32', NO_RUNS, 2], ['16', 0, 0, 0, 0], ['32', 0, 0], ['16', 1, 1]),
      1,
      'the containers of the deletion vector are not in order',
    ],
  ])('refuses a vector with %s', (_, content, cardinality, message) => {
    expect(() => rowsOf(content, cardinality, 1000)).toThrow(message);
  });

  it('refuses runs that repeat rows, which would take long', () => {
    const head = Buffer.concat([bytes(['32', MAGIC], ['64', 1], ['32', 0, WITH_RUNS]), Buffer.of(1)]);
    const content = Buffer.concat([head, bytes(['16', 0, 0, 2, 0, 9, 5, 9])]);
    expect(() => rowsOf(content, 10, 1000)).toThrow('the runs of the deletion vector are not in order');
  });
});

describe('DeletedRows', () => {
  it('selects bits, counts rows, and finds the end of a number of rows that are kept', () => {
    const deleted = new DeletedRows(100);
    for (const row of [0, 9, 10, 63, 99, 9]) deleted.add(row);
    expect(deleted.count).toBe(5);
    expect(deleted.countBetween(9, 64)).toBe(3);
    expect(deleted.afterKept(8, 100, 3)).toBe(13);
    expect(deleted.afterKept(90, 100, 50)).toBe(100);
    expect(deleted.slice(11, 63)).toBe(undefined);
    const bits = deleted.slice(9, 20) as Uint8Array;
    expect([...bits]).toEqual([3, 0]);
    expect(() => deleted.add(100)).toThrow('the row 100 is deleted, and the file has 100 rows');
  });

  it('refuses a file with more rows than fit into memory', () => {
    expect(() => new DeletedRows(2 ** 50)).toThrow('are too many for a file with deleted rows');
  });
});
