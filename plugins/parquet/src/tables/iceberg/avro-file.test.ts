import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readAvro } from './avro-file.ts';

const SYNC = Buffer.alloc(16, 7);

function long(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([long(bytes.length), bytes]);
}

/** A file with one block. */
function file(schema: unknown, content: Buffer, { count = 1, codec = 'null', sync = SYNC } = {}): Buffer {
  const header = [long(2), text('avro.schema'), text(JSON.stringify(schema)), text('avro.codec'), text(codec), long(0)];
  return Buffer.concat([Buffer.from('Obj\x01'), ...header, SYNC, long(count), text(content), sync]);
}

function record(type: unknown): unknown {
  return { type: 'record', name: 'r', fields: [{ name: 'f', type, 'field-id': 1 }] };
}

function read(bytes: Buffer): unknown[] {
  return [...readAvro(bytes).records].map((one) => one.get(1));
}

describe('readAvro', () => {
  it.each<[string, unknown, Buffer, unknown]>([
    ['longs', 'long', long(-(2 ** 60)), -(2n ** 60n)],
    ['ints', { type: 'int', logicalType: 'date' }, long(-5), -5],
    ['unions', ['null', 'string'], Buffer.concat([long(1), text('ü')]), 'ü'],
    ['booleans', 'boolean', Buffer.of(1), true],
    ['bytes', { type: 'fixed', name: 'x', size: 2 }, Buffer.of(1, 2), Buffer.of(1, 2)],
    ['lists', { type: 'array', items: 'int' }, Buffer.concat([long(2), long(1), long(2), long(0)]), [1, 2]],
    ['lists with sizes', { type: 'array', items: 'int' }, Buffer.concat([long(-1), long(1), long(9), long(0)]), [9]],
    [
      'maps',
      { type: 'map', values: 'int' },
      Buffer.concat([long(1), text('k'), long(3), long(0)]),
      new Map([['k', 3]]),
    ],
    ['enums', { type: 'enum', name: 'e', symbols: ['a', 'b'] }, long(1), 'b'],
    ['floats', 'float', Buffer.of(0, 0, 0x20, 0x40), 2.5],
  ])('reads %s', (_, type, content, value) => {
    expect(read(file(record(type), content))).toEqual([value]);
  });

  it('reads a compressed block', () => {
    expect(
      read(file(record('int'), deflateRawSync(Buffer.concat([long(1), long(2)])), { count: 2, codec: 'deflate' })),
    ).toEqual([1, 2]);
  });

  const nulls = Buffer.concat([long(2 ** 40), long(0)]);
  const self = { type: 'record', name: 'r', fields: [{ name: 'f', type: ['null', 'r'], 'field-id': 1 }] };
  it.each<[string, Buffer, string]>([
    ['another format', Buffer.from('PAR1 and more'), 'it is not an Avro file'],
    ['a wrong marker', file(record('int'), long(1), { sync: Buffer.alloc(16, 8) }), 'the marker of a block is wrong'],
    ['no end', file(record('int'), long(1)).subarray(0, -3), 'it ends too early'],
    [
      'a list of billions of nulls',
      file(record({ type: 'array', items: 'null' }), nulls),
      'an item of a list has no bytes',
    ],
    ['billions of empty records', file(record('null'), Buffer.of(), { count: 2 ** 40 }), 'it has no records'],
    ['a text of a gigabyte', file(record('string'), long(2 ** 30)), 'it states a size of 1073741824'],
    [
      'fewer records than bytes',
      file(record('int'), Buffer.concat([long(1), long(2)])),
      'has more bytes than its records',
    ],
    ['no records', file('int', long(1)), 'it has no records'],
    ['an unknown codec', file(record('int'), long(1), { codec: 'xz' }), 'the codec xz is not supported'],
    ['an unknown type', file(record('decimal'), long(1)), 'its schema has the unknown type decimal'],
    ['records in themselves', file(self, Buffer.alloc(300, 2)), 'its records have more than 100 levels'],
    [
      'a schema that is nested deeply',
      file(record(JSON.parse(`${'{"type":"array","items":'.repeat(200)}"int"${'}'.repeat(200)}`)), long(0)),
      'its schema has more than 100 levels',
    ],
  ])('refuses a file with %s', (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(message);
  });
});
