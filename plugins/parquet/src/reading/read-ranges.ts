import type { RangedFile } from 'headrace/storage';

/** Ranges with a smaller gap are read with one request. */
const GAP_BYTES = 64 * 1024;

/** Bytes of a file. */
export interface Range {
  readonly from: number;
  readonly length: number;
}

/** Reads ranges, in the given order, with one request for those that are close together. */
export async function readRanges(file: RangedFile, ranges: readonly Range[]): Promise<Uint8Array[]> {
  const found = new Map<Range, Uint8Array>();
  for (const run of runsOf(ranges)) {
    const [first, last] = [run[0] as Range, run.at(-1) as Range];
    const end = Math.max(...run.map(({ from, length }) => from + length));
    const bytes = await file.read(first.from, Math.max(end, last.from));
    for (const range of run) {
      const start = range.from - first.from;
      found.set(range, bytes.subarray(start, start + range.length));
    }
  }
  return ranges.map((range) => found.get(range) as Uint8Array);
}

/** Groups ranges that are close together, in the order of the file. */
export function runsOf<R extends Range>(ranges: readonly R[]): R[][] {
  const runs: R[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    if (range.from - end <= GAP_BYTES) runs.at(-1)?.push(range);
    else runs.push([range]);
    end = Math.max(end, range.from + range.length);
  }
  return runs;
}
