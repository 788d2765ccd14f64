import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { comparisonsOf } from './filter-parameter.ts';
import { ParquetFile } from './parquet-file.ts';
import { RowGroupDecoder } from './row-group-decoder.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in';
type Key = number | bigint | string;

/** A type of columns. */
interface Kind {
  readonly element: Omit<SchemaElement, 'name'>;
  /** Values for the writer. */
  readonly values: fc.Arbitrary<unknown>;
  /** Returns the value as the filter has it; undefined if no filter can have it. */
  readonly text: (value: never) => string | number | boolean | undefined;
  /** Returns what `<` compares. */
  readonly key: (value: never) => Key;
}

const same = (value: Key) => value;
const int64 = fc.oneof(fc.bigInt(-5n, 5n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n));
const few = (min: number, max: number) =>
  fc.oneof(fc.integer({ min: Math.max(min, -5), max: 5 }), fc.integer({ min, max }));
const doubles = fc.oneof(fc.constantFrom(Number.NaN, -0, 0, 1.5, Number.POSITIVE_INFINITY), fc.double());
const number = {
  text: (value: number) => (Number.isNaN(value) ? undefined : `${value}`),
  key: (value: number) => value,
};
const bytesOf = (value: Uint8Array) => Buffer.from(value).toString('latin1');
const timestamp = (unit: 'MILLIS' | 'MICROS' | 'NANOS', digits: number): Kind => {
  const perSecond = 10n ** BigInt(digits);
  return {
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit } },
    values: fc.bigInt(-(10n ** 17n), 10n ** 17n).map((nanos) => nanos / 10n ** BigInt(9 - digits)),
    text: (value: bigint) => {
      const [seconds, rest] = [value / perSecond, value % perSecond];
      const whole = rest < 0n ? seconds - 1n : seconds;
      const fraction = String(value - whole * perSecond).padStart(digits, '0');
      return `${new Date(Number(whole) * 1000).toISOString().slice(0, 19)}.${fraction}Z`;
    },
    key: same,
  };
};
const decimal = (element: Omit<SchemaElement, 'name'>, digits: number): Kind => {
  const most = 10n ** BigInt(digits) - 1n;
  const { scale = 0 } = element;
  return {
    element: { ...element, converted_type: 'DECIMAL', precision: digits },
    values: fc.oneof(fc.bigInt(-200n, 200n), fc.bigInt(-most, most)),
    text: (value: bigint) => {
      const all = String(value < 0n ? -value : value).padStart(scale + 1, '0');
      return `${value < 0n ? '-' : ''}${all.slice(0, -scale)}.${all.slice(-scale)}`;
    },
    key: same,
  };
};

const KINDS: Readonly<Record<string, Kind>> = {
  boolean: { element: { type: 'BOOLEAN' }, values: fc.boolean(), text: (v: boolean) => v, key: Number },
  int32: { element: { type: 'INT32' }, values: few(-(2 ** 31), 2 ** 31 - 1), text: String, key: same },
  int64: { element: { type: 'INT64' }, values: int64, text: String, key: same },
  uint32: {
    element: { type: 'INT32', converted_type: 'UINT_32' },
    values: few(0, 2 ** 32 - 1),
    text: (v: number) => v,
    key: same,
  },
  float: { element: { type: 'FLOAT' }, values: doubles.map(Math.fround), ...number },
  double: { element: { type: 'DOUBLE' }, values: doubles, ...number },
  float16: {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } },
    values: doubles.map(Math.f16round),
    ...number,
  },
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    values: fc.oneof(fc.constantFrom('', 'a', 'é', '日本', '😀'), unicodeText({ maxLength: 30 })),
    text: (v: string) => v,
    key: (v: string) => bytesOf(Buffer.from(v)),
  },
  uuid: {
    element: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
    values: fc.uuid(),
    text: (v: string) => v,
    key: same,
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE' },
    values: few(-100_000, 100_000),
    text: (v: number) => new Date(v * 86_400_000).toISOString().slice(0, 10),
    key: same,
  },
  time: {
    element: { type: 'INT64', logical_type: { type: 'TIME', isAdjustedToUTC: false, unit: 'MICROS' } },
    values: fc.bigInt(0n, 86_399_999_999n),
    text: (v: bigint) =>
      `${new Date(Number(v / 1000n)).toISOString().slice(11, 23)}${String(v % 1000n).padStart(3, '0')}`,
    key: same,
  },
  millis: timestamp('MILLIS', 3),
  micros: timestamp('MICROS', 6),
  nanos: timestamp('NANOS', 9),
  decimal9: decimal({ type: 'INT32', scale: 2 }, 9),
  decimal18: decimal({ type: 'INT64', scale: 3 }, 18),
  decimalBytes: decimal({ type: 'BYTE_ARRAY', scale: 4 }, 30),
  decimal38: decimal({ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, scale: 4 }, 38),
};

async function write(element: SchemaElement, data: unknown[], rowGroupSize: number, pageSize: number) {
  const writer = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: 'root', num_children: 3 },
    { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
    element,
    { name: 'tags', converted_type: 'LIST', num_children: 1, repetition_type: 'OPTIONAL' },
    { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
    { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  ];
  const parquet = new ParquetWriter({ writer, schema });
  await parquet.write({
    columnData: [
      { name: 'id', data: data.map((_, i) => i) },
      { name: 'v', data, columnIndex: true },
      { name: 'tags', data: data.map((_, i) => Array.from({ length: i % 4 }, (_, k) => `t${k}`)) },
    ],
    rowGroupSize,
    pageSize,
  });
  await parquet.finish();
  return new Uint8Array(writer.getBuffer());
}

/** Returns the ids of the documents that pass, and how many rows and bytes were decoded. */
async function filtered(content: Uint8Array, operator: Operator, value: unknown) {
  const read = async (from: number, to: number) => Uint8Array.prototype.slice.call(content, from, to);
  const file = await ParquetFile.open({ size: content.length, read, close: async () => {} });
  const filter = comparisonsOf(new Map([['v', new Map([[operator, value]])]]));
  const convert = { decimals: 'auto', binaryAsText: false } as const;
  const options = {
    schema: file.metadata.schema,
    columns: ['v', 'tags'],
    idField: 'id',
    docIdPrefix: '',
    filter,
    convert,
  };
  const decoder = new RowGroupDecoder(options);
  const ids: number[] = [];
  let rows = 0;
  let bytes = 0;
  for (const group of file.rowGroups(0, filter)) {
    const limits = { whole: 2 ** 30, part: 1000, indexed: 0 };
    for await (const { bytes: part, ...rest } of file.read(
      group,
      new Set(['id', 'v', 'tags']),
      0,
      group.rows,
      filter,
      limits,
    )) {
      rows += rest.rows;
      bytes += part.length;
      const position = { path: 'f', rowGroup: group.number, firstRow: group.firstRow, ...rest };
      decoder.decode(part, position, {
        document: (document) => {
          ids.push(Number(document.id));
          const tags = Array.from({ length: Number(document.id) % 4 }, (_, k) => `t${k}`);
          expect(document.get('tags') ?? []).toEqual(tags);
        },
        reject: ({ message }) => {
          throw new Error(message);
        },
        warn() {},
        notice() {},
      });
    }
  }
  return { ids, rows, bytes };
}

function passes(key: Key | undefined, operator: Operator, keys: readonly Key[]): boolean {
  if (key === undefined) return operator === 'ne';
  const [other] = keys as [Key];
  // -0 and 0 are equal. NaN is equal to nothing.
  const equals = (one: Key) => key >= one && key <= one;
  if (operator === 'eq' || operator === 'in') return keys.some(equals);
  if (operator === 'ne') return !equals(other);
  if (operator === 'gt') return key > other;
  if (operator === 'gte') return key >= other;
  return operator === 'lt' ? key < other : key <= other;
}

describe('a filter', () => {
  it.each(Object.keys(KINDS))(
    'selects the rows of a column of type %s that a comparison of all rows selects',
    async (name) => {
      const { element, values, text, key } = KINDS[name] as Kind;
      const column = fc.array(fc.option(values, { freq: 6 }), { minLength: 1, maxLength: 60 });
      const isSorted = fc.boolean();
      const operators = fc.constantFrom<Operator>('eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in');
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            column,
            isSorted,
            operator: operators,
            wanted: fc.array(values, { minLength: 1, maxLength: 3 }),
          }),
          fc.record({
            at: fc.nat(),
            rowGroupSize: fc.integer({ min: 1, max: 40 }),
            pageSize: fc.integer({ min: 1, max: 60 }),
          }),
          async ({ column, isSorted, operator, wanted }, { at, rowGroupSize, pageSize }) => {
            const keyOf = (value: unknown) => key(value as never);
            const data = isSorted
              ? column.toSorted((a, b) => (a === null || b === null ? 0 : keyOf(a) < keyOf(b) ? -1 : 1))
              : column;
            // Half of the filters have a value of the column.
            const sample = at % 2 === 0 ? data[at % data.length] : undefined;
            const all = [sample ?? wanted[0], ...wanted.slice(1)].filter((one) => text(one as never) !== undefined);
            const used = operator === 'in' ? all : all.slice(0, 1);
            if (used.length === 0) return;
            const texts = used.map((one) => text(one as never));
            const repetition_type = 'OPTIONAL' as const;
            const content = await write({ ...element, name: 'v', repetition_type }, data, rowGroupSize, pageSize);
            const { ids } = await filtered(content, operator, operator === 'in' ? texts : texts[0]);
            const keys = used.map(keyOf);
            const expected = data.flatMap((one, i) =>
              passes(one === null ? undefined : keyOf(one), operator, keys) ? [i] : [],
            );
            expect(ids).toEqual(expected);
          },
        ),
        { numRuns: 60 },
      );
    },
  );

  it.each([
    ['eq', 5000, 1],
    ['gte', 9990, 10],
    ['lt', 3, 3],
  ] as const)('reads few pages of a large row group for %s %i', async (operator, value, count) => {
    const data = Array.from({ length: 10_000 }, (_, i) => i);
    const content = await write({ name: 'v', type: 'INT32', repetition_type: 'OPTIONAL' }, data, 10_000, 400);
    const { ids, rows, bytes } = await filtered(content, operator, value);
    expect(ids).toHaveLength(count);
    expect(rows).toBeLessThan(300);
    expect(bytes).toBeLessThan(content.length / 20);
  });

  it('reads no page if the page index excludes all of them', async () => {
    const data = Array.from({ length: 1000 }, (_, i) => 2 * i);
    const content = await write({ name: 'v', type: 'INT32', repetition_type: 'OPTIONAL' }, data, 1000, 4);
    expect(await filtered(content, 'eq', 1001)).toMatchObject({ ids: [], rows: 0 });
  });
});
