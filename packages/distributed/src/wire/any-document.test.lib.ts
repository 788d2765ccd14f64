import {
  Document,
  DocumentTable,
  Double,
  type JsonObject,
  type RecordSink,
  type RejectedRecord,
  type Value,
} from '@headrace/engine';
import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';

/** Any string, with lone surrogates, the separator of columns, and names of members of JavaScript objects. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  unicodeText(),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '__proto__', 'constructor', '10', 'a.b', '\u001f', 'a\u001fb', '\n', '\ud800', 'ü', '日本', '😀'),
);

const anyNumber: fc.Arbitrary<Value> = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).filter((integer) => !Number.isSafeInteger(Number(integer))),
  fc.double({ noNaN: true }).filter((number) => !Number.isSafeInteger(number)),
  fc.maxSafeInteger().map((whole) => new Double(whole)),
  fc.constantFrom<Value>(new Double(-0), Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
);

/** Any value of a field, nested up to four levels. */
export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value; list: Value[]; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyText,
    anyNumber,
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 20 }).map((bytes): Value => new Uint8Array(bytes)),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.array(fc.tuple(anyText, tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
})).value;

const anyName = anyText.filter((name) => name !== '' && name !== 'id');
const anyId = anyText.filter((id) => id !== '');

/** One document with up to ten fields. The id is at any position. */
export const anyDocument: fc.Arbitrary<Document> = fc
  .tuple(
    anyId,
    fc.uniqueArray(fc.tuple(anyName, anyValue), { maxLength: 10, selector: ([name]) => name }),
    fc.nat({ max: 10 }),
  )
  .map(([id, fields, at]) => {
    const entries: [string, Value][] = [...fields];
    entries.splice(at, 0, ['id', id]);
    return Document.fromObject(new Map(entries));
  });

/** The values of a field in this many documents: equal values, texts, texts and missing values, or anything. */
function anyColumn(count: number): fc.Arbitrary<(Value | undefined)[]> {
  const list = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: count, maxLength: count });
  return fc.oneof(
    anyValue.map((value) => new Array<Value>(count).fill(value)),
    list(anyText),
    list(fc.option(anyText, { nil: undefined })),
    list(fc.option(anyValue, { nil: undefined })),
  );
}

/** A table of up to 20 documents. Some of them lack fields. */
export const anyTable: fc.Arbitrary<DocumentTable> = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.uniqueArray(anyName, { maxLength: 6 }))
  .chain(([count, names]) =>
    fc
      .tuple(
        fc.array(anyId, { minLength: count, maxLength: count }),
        fc.tuple(...names.map(() => anyColumn(count))) as fc.Arbitrary<(Value | undefined)[][]>,
      )
      .map(([ids, columns]) => {
        const sparse = columns.map((column) => column.includes(undefined));
        return new DocumentTable(['id', ...names], [ids, ...columns], count, [false, ...sparse]);
      }),
  );

/** Stores the output of a decoder. */
export class DecodedRecords implements RecordSink {
  readonly documents: Document[] = [];
  readonly tables: DocumentTable[] = [];
  readonly rejected: RejectedRecord[] = [];

  document(document: Document): void {
    this.documents.push(document);
  }

  table(table: DocumentTable): void {
    this.tables.push(table);
    for (let row = 0; row < table.count; row++) this.documents.push(table.document(row));
  }

  reject(record: RejectedRecord): void {
    this.rejected.push(record);
  }

  notice(): void {}

  warn(message: string): void {
    throw new Error(`A decoder of queues has no warnings: ${message}`);
  }
}
