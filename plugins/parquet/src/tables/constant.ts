import { writeValue } from 'headrace/engine';
import { type ConvertSettings, converterOf } from '../reading/convert.ts';
import { type Comparison, columnFilter, parseKey } from '../reading/row-filter.ts';
import type { RawValue } from '../reading/stored-values.ts';
import type { ValueElement } from './table-field.ts';

/** The value that a column has in all rows of a file: of a partition, or of a column that the file does not have. */
export interface Constant {
  readonly element: ValueElement;
  /** The value as a file would store it; undefined for null. */
  readonly raw: RawValue | undefined;
}

/** Returns the constant that a text states. Throws an error that says what the text must be. */
export function constantOf(text: string | null, element: ValueElement): Constant {
  if (text === null) return { element, raw: undefined };
  const { type, logical_type: logical } = element;
  if (logical?.type === 'STRING') return { element, raw: Buffer.from(text) };
  if (type === 'BYTE_ARRAY') return { element, raw: Buffer.from(text, 'latin1') };
  if (type === 'DOUBLE' || type === 'FLOAT') if (text === 'NaN') return { element, raw: Number.NaN };
  const key = parseKey(text, { name: '', ...element });
  return { element, raw: type === 'BOOLEAN' ? key === 1 : typeof key === 'string' ? Buffer.from(key, 'latin1') : key };
}

/** Returns the JSON text of the value that documents get; undefined for null. */
export function jsonOf({ element, raw }: Constant, settings: ConvertSettings): string | undefined {
  return raw === undefined ? undefined : writeValue(converterOf({ name: '', ...element }, settings).of(raw));
}

/** Returns whether the rows with some constants may pass a filter. Throws if a comparison is not possible. */
export function mayPass(constants: ReadonlyMap<string, Constant>, filter: readonly Comparison[]): boolean {
  for (const [column, { element, raw }] of constants) {
    const comparisons = filter.filter((one) => one.column === column);
    if (comparisons.length === 0) continue;
    const test = columnFilter({ name: column, ...element }, comparisons);
    if (!test.passes(raw === undefined ? undefined : test.keyOf(raw))) return false;
  }
  return true;
}
