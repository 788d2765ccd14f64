import type { SchemaElement } from 'hyparquet';
import type { ColumnFilter } from './row-filter.ts';
import { hasOrder, storedValue } from './stored-bounds.ts';
import { readThrift, type Thrift } from './thrift.ts';

/** Rows of a row group: the first one and the one after the last. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** A page of a column, from its offset index. */
export interface IndexedPage extends RowRange {
  /** The first byte in the file, and the number of bytes with the header. */
  readonly at: number;
  readonly length: number;
}

/**
 * Returns the pages of a column chunk; undefined if the index does not fit it. (Source: OffsetIndex in parquet.thrift.)
 * @param rows the number of rows of the row group
 * @param chunk the bytes of the column chunk in the file
 */
export function indexedPages(
  bytes: Uint8Array,
  rows: number,
  chunk: { readonly from: number; readonly length: number },
): IndexedPage[] | undefined {
  const locations = parse(bytes)?.field_1;
  if (!Array.isArray(locations) || locations.length === 0) return undefined;
  const pages: IndexedPage[] = [];
  for (const [i, { field_1, field_2, field_3 }] of (locations as Thrift[]).entries()) {
    const [at, length, from] = [Number(field_1), Number(field_2), Number(field_3)];
    const next = (locations as Thrift[])[i + 1];
    const to = next === undefined ? rows : Number(next.field_3);
    const before = pages.at(-1);
    const start = before === undefined ? chunk.from : before.at + before.length;
    const isInside = at >= start && length > 0 && at + length <= chunk.from + chunk.length;
    if (!isInside || from !== (before?.to ?? 0) || !(to >= from)) return undefined;
    pages.push({ at, length, from, to });
  }
  return pages;
}

/**
 * Returns the rows of pages that may have rows that pass a filter; undefined if the index is unusable. (Source:
 * ColumnIndex in parquet.thrift.)
 * @param order the order of the bounds
 */
export function rowsThatMayPass(
  bytes: Uint8Array,
  pages: readonly IndexedPage[],
  { element, test, order }: { element: SchemaElement; test: ColumnFilter; order: Thrift | undefined },
): RowRange[] | undefined {
  const { field_1: empty, field_2: lows, field_3: highs, field_5: nulls } = parse(bytes) ?? {};
  const isUsable = [empty, lows, highs].every((list) => Array.isArray(list) && list.length === pages.length);
  if (!isUsable) return undefined;
  const isTrusted = hasOrder(order, element);
  return pages.filter((_, i) => {
    const isEmpty = (empty as boolean[])[i] === true;
    const low = isTrusted && !isEmpty ? storedValue((lows as unknown[])[i], element) : undefined;
    const high = isTrusted && !isEmpty ? storedValue((highs as unknown[])[i], element) : undefined;
    const hasNoNulls = Array.isArray(nulls) && nulls[i] === 0n;
    return test.mayPass({ low, high, nulls: isEmpty ? 'all' : hasNoNulls ? 'none' : undefined });
  });
}

/** Returns rows that are in both of two lists, which are in order. */
export function commonRows(some: readonly RowRange[], others: readonly RowRange[]): RowRange[] {
  const common: RowRange[] = [];
  for (let i = 0, j = 0; i < some.length && j < others.length; ) {
    const [a, b] = [some[i] as RowRange, others[j] as RowRange];
    const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
    if (from < to) common.push({ from, to });
    if (a.to < b.to) i++;
    else j++;
  }
  return common;
}

/** A damaged index is not used. */
function parse(bytes: Uint8Array): Thrift | undefined {
  try {
    return readThrift({ view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: 0 });
  } catch {
    return undefined;
  }
}
