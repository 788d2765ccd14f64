import { unicodeText } from '@headrace/testing/unicode-text';
import fc from 'fast-check';
import { Document } from './document.ts';
import { Double, type JsonObject, type Value } from './value.ts';

/** Any string, including lone surrogates and names of JavaScript object members. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string(),
  unicodeText(),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '__proto__', 'constructor', 'toString', '10', '-1', 'a.b', '/a/b', '\u2028', '\ud800', '"\\'),
);

export const anyName: fc.Arbitrary<string> = anyText.filter((name) => name !== '' && !/^(id|run_id|___)/.test(name));

/** Numbers of every type, as the readers create them: a whole double is a `Double`, a long integer is a bigint. */
export const anyNumber: fc.Arbitrary<Value> = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).filter((integer) => !Number.isSafeInteger(Number(integer))),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isSafeInteger(number)),
  fc.maxSafeInteger().map((whole) => new Double(whole)),
  fc.constant(new Double(-0)),
);

/** Values that JSON can represent without loss. */
export const anyJson: fc.Arbitrary<Value> = fc.letrec<{ value: Value; list: Value[]; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyText,
    anyNumber,
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }),
  object: fc.array(fc.tuple(anyText, tie('value')), { maxLength: 5 }).map((entries) => new Map(entries)),
})).value;

/** Any field value, including values that JSON cannot represent. */
export const anyValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 5, arbitrary: anyJson },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes): Value => new Uint8Array(bytes)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Value>(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  },
);

/** Documents with up to 40 fields, so that tests cover both ways to find a field. */
export function anyDocument(value: fc.Arbitrary<Value> = anyValue): fc.Arbitrary<Document> {
  return fc
    .tuple(
      fc.string({ minLength: 1 }),
      fc.uniqueArray(fc.tuple(anyName, value), { maxLength: 40, size: 'max', selector: ([name]) => name }),
    )
    .map(([id, fields]) => Document.fromObject(new Map<string, Value>([['id', id], ...fields])));
}
