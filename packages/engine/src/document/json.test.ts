import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HeadraceError } from '../errors/headrace-error.ts';
import { anyDocument, anyJson, anyText } from './any-value.test.lib.ts';
import { Document } from './document.ts';
import { JsonSyntaxError, readJson, readJsonSequence } from './json-reader.ts';
import { writeString, writeValue } from './json-writer.ts';
import { readDocument } from './read-document.ts';
import { Double, equalValues, type Value } from './value.ts';

describe('readJson and writeValue', () => {
  it('keep any value unchanged, and write the same bytes again', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = writeValue(value);
        const read = readJson(text);
        expect(equalValues(read, value)).toBe(true);
        expect(writeValue(read)).toBe(text);
      }),
      { numRuns: 20 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('write JSON that every other parser reads', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        JSON.parse(writeValue(value));
      }),
    );
  });

  it('read the output of JSON.stringify, also with white space', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (data, indent) => {
        expect(JSON.parse(writeValue(readJson(JSON.stringify(data, null, indent))))).toEqual(
          JSON.parse(JSON.stringify(data)),
        );
      }),
    );
  });

  it.each([
    ['1', '1'],
    ['1.0', '1.0'],
    ['1e2', '100.0'],
    ['1.50', '1.5'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1E10', '1.0E10'],
    ['0.0001', '1.0E-4'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740992', '-9007199254740992'],
    ['0.12345678901234568', '0.12345678901234568'],
    ['-12345678.12345678', '-1.234567812345678E7'],
    ['12345678901234567890.0', '1.2345678901234567E19'],
    ['-9223372036854775809', '-9223372036854775809'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['1e400', '"Infinity"'],
    ['"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\"', '"A/\\b\\f\\n\\r\\t\\"\\\\"'],
    ['"\\ud83d\\ude00"', '"😀"'],
    ['"\\ud83d"', '"\\ud83d"'],
    ['"\u2028\u007f"', '"\u2028\u007f"'],
    [' [ 1 , { } , [ ] ] ', '[1,{},[]]'],
    ['{"b":1,"10":2,"9":3,"__proto__":4}', '{"b":1,"10":2,"9":3,"__proto__":4}'],
  ])('convert %s to %s', (text, written) => {
    expect(writeValue(readJson(text))).toBe(written);
  });

  it('use the last value of duplicate keys, at the position of the first', () => {
    expect(writeValue(readJson('{"a":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}');
  });

  it('read all integers exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(20), (value, digits) => {
        const text = String(value / 10n ** BigInt(digits));
        expect(writeValue(readJson(text))).toBe(text);
      }),
    );
  });

  it('distinguish the types of numbers', () => {
    expect(readJson('[1,1.0,10000000000000000000,1.5]')).toEqual([1, new Double(1), 10000000000000000000n, 1.5]);
  });

  it('write bytes as base64, and values that JSON lacks as strings', () => {
    expect(writeValue([new Uint8Array([0, 255, 254]), Number.NaN, Number.NEGATIVE_INFINITY])).toBe(
      '["AP/+","NaN","-Infinity"]',
    );
  });

  it('ignore the text after the value', () => {
    expect(readJson('{"a":1} and more')).toEqual(new Map([['a', 1]]));
  });

  it.each([
    ['', 0, 'found the end of the text'],
    ['  ', 2, 'found the end of the text'],
    ['{"a" 1}', 5, 'Expected ":", found "1"'],
    ['{a:1}', 1, 'Expected a key in double quotes, found "a"'],
    ['{"a":1,}', 7, 'Expected a key in double quotes, found "}"'],
    ['[1,]', 3, 'Expected a JSON value, found "]"'],
    ['[01]', 2, 'Expected the end of the number'],
    ['[1.]', 2, 'Expected the end of the number'],
    ['[-]', 1, 'Expected a digit'],
    ['[tru]', 1, 'Expected a JSON value'],
    ['"a\nb"', 2, 'A control character (code 10) must be escaped'],
    ['"\\x"', 1, 'Unknown escape \\x'],
    ['"\\u12G4"', 1, 'Expected four hexadecimal digits'],
    ['"abc', 4, 'The text ends inside a JSON string'],
    ['\ufeff{}', 0, 'Expected a JSON value, found "\ufeff"'],
    ['[NaN]', 1, 'Expected a JSON value'],
    ["['a']", 1, 'Expected a JSON value'],
  ])('refuse %j and report the offset', (text, at, message) => {
    const error = errorOf(() => readJson(text));
    expect(error).toBeInstanceOf(JsonSyntaxError);
    expect((error as JsonSyntaxError).message).toContain(message);
    expect((error as JsonSyntaxError).at).toBe(at);
  });

  it('refuse every incomplete document', () => {
    fc.assert(
      fc.property(anyDocument(), (document) => {
        const text = document.toJson();
        for (let end = 0; end < text.length; end++) {
          const error = errorOf(() => readDocument(text.slice(0, end)));
          if (!(error instanceof JsonSyntaxError)) expect.fail(`${text.slice(0, end)} gave ${error}`);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('return a value or a syntax error for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...'{}[]",:\\u0-.eEtruefalsn 1\n')), (characters) => {
        const error = errorOf(() => readJson(characters.join('')));
        if (error !== undefined) expect(error).toBeInstanceOf(JsonSyntaxError);
      }),
      { numRuns: 30 * (fc.readConfigureGlobal().numRuns ?? 100) },
    );
  });

  it('read 1000 levels and refuse more without a stack overflow', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const deepest = open.repeat(1000) + (open === '[' ? '' : '1') + close.repeat(1000);
      expect(writeValue(readJson(deepest))).toBe(deepest);
      expect(() => readJson(open.repeat(1001))).toThrow('nested deeper than 1000 levels');
      expect(() => readJson(open.repeat(1_000_000))).toThrow('nested deeper than 1000 levels');
    }
  });

  it('refuse numbers with more than 1000 digits, which take very long to read', () => {
    expect(writeValue(readJson('9'.repeat(1000)))).toBe('9'.repeat(1000));
    expect(() => readJson(`{"a":${'9'.repeat(2_000_000)}}`)).toThrow('more than 1000 digits');
  });

  it('do not keep long names in memory', () => {
    const name = 'n'.repeat(100_000);
    expect(writeValue(readJson(`{"${name}":1}`))).toBe(`{"${name}":1}`);
  });

  it('report a value that is not a field value, which only untyped code can set', () => {
    const document = Document.create('1');
    document.set('a', [{ b: 1 } as unknown as Value]);
    expect(() => document.toJson()).toThrow('A field holds an object ([object Object])');
    document.set('a', undefined as unknown as Value);
    expect(() => document.toJson()).toThrow('A field holds undefined');
  });
});

describe('readJsonSequence', () => {
  it('returns every value with its offset', () => {
    const found = [...readJsonSequence(' {"a":1}\n[2]{"b":3} 4 ')];
    expect(found.map(({ value, at, end }) => [writeValue(value), at, end])).toEqual([
      ['{"a":1}', 1, 8],
      ['[2]', 9, 12],
      ['{"b":3}', 12, 19],
      ['4', 20, 21],
    ]);
  });

  it('returns the values before a mistake', () => {
    const values: string[] = [];
    const read = () => {
      for (const { value } of readJsonSequence('{"a":1} }')) values.push(writeValue(value));
    };
    expect(read).toThrow('Expected a JSON value, found "}"');
    expect(values).toEqual(['{"a":1}']);
  });
});

describe('readDocument', () => {
  it.each([
    ['[1]', 'HR_DOCUMENT_NOT_AN_OBJECT', 'A document is a JSON object, not an array'],
    ['"a"', 'HR_DOCUMENT_NOT_AN_OBJECT', 'not a text'],
    ['5', 'HR_DOCUMENT_NOT_AN_OBJECT', 'not a number'],
    ['null', 'HR_DOCUMENT_NOT_AN_OBJECT', 'not null'],
    ['{}', 'HR_DOCUMENT_NO_ID', 'id is missing'],
    ['{"id":null}', 'HR_DOCUMENT_NO_ID', 'id is missing'],
    ['{"id":""}', 'HR_DOCUMENT_NO_ID', 'id is present but null or empty or not a string'],
    ['{"id":5}', 'HR_DOCUMENT_NO_ID', 'id is present but null or empty or not a string'],
    ['{"id":', 'HR_DOCUMENT_SYNTAX', 'found the end of the text'],
  ])('refuses %s with the code %s', (text, code, message) => {
    const error = errorOf(() => readDocument(text)) as HeadraceError;
    expect(error).toBeInstanceOf(HeadraceError);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  it('keeps any document unchanged', () => {
    fc.assert(
      fc.property(anyDocument(anyJson), (document) => {
        const read = readDocument(document.toJson());
        expect(read.fieldNames).toEqual(document.fieldNames);
        expect(equalValues(read.toObject(), document.toObject())).toBe(true);
      }),
    );
  });
});

describe('writeString', () => {
  it('returns the same as JSON.stringify', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(writeString(text)).toBe(JSON.stringify(text));
      }),
    );
  });
});

function errorOf(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
