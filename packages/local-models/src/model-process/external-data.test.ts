import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Field, message, text, varint } from '@headrace/testing/onnx-models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasExternalData } from './external-data.ts';

const entry = (key: string, value: string): Field => [
  13,
  [
    [1, text(key)],
    [2, text(value)],
  ],
];
const inside: Field[] = [
  [1, 4],
  [2, 1],
  [8, text('weight')],
  [9, Buffer.alloc(16)],
];
const EXTERNAL: Record<string, Field[]> = {
  'a location and its place': [...inside, entry('location', 'service.yml'), [14, 1]],
  'a location alone': [...inside, entry('location', 'service.yml')],
  'its place alone': [...inside, [14, 1]],
  'a place with more bits than it has': [...inside, [14, (1n << 32n) | 1n]],
  'a place that is set twice': [...inside, [14, 1], [14, 0]],
};

/** Where a model has tensors. */
const PLACES: Record<string, (tensor: Field[]) => Field[]> = {
  'an initializer': (tensor) => [[7, [[5, tensor]]]],
  'a sparse initializer': (tensor) => [[7, [[15, [[1, tensor]]]]]],
  'the indices of a sparse initializer': (tensor) => [[7, [[15, [[2, tensor]]]]]],
  'an attribute': (tensor) => [[7, [[1, [[5, [[5, tensor]]]]]]]],
  'a list of an attribute': (tensor) => [
    [
      7,
      [
        [
          1,
          [
            [
              5,
              [
                [10, inside],
                [10, tensor],
              ],
            ],
          ],
        ],
      ],
    ],
  ],
  'a sparse tensor of an attribute': (tensor) => [[7, [[1, [[5, [[22, [[1, tensor]]]]]]]]]],
  'a list of sparse tensors': (tensor) => [[7, [[1, [[5, [[23, [[1, tensor]]]]]]]]]],
  'the graph of an attribute': (tensor) => [[7, [[1, [[5, [[6, [[5, tensor]]]]]]]]]],
  'a list of graphs': (tensor) => [[7, [[1, [[5, [[11, [[5, tensor]]]]]]]]]],
  'a graph in a graph': (tensor) => [[7, [[1, [[5, [[6, [[1, [[5, [[6, [[5, tensor]]]]]]]]]]]]]]]],
  'a function': (tensor) => [[25, [[7, [[5, [[5, tensor]]]]]]]],
  'the default of a function': (tensor) => [[25, [[11, [[5, tensor]]]]]],
  'the graph of a training': (tensor) => [[20, [[2, [[5, tensor]]]]]],
  'the second part of a graph': (tensor) => [
    [7, [[5, inside]]],
    [7, [[5, tensor]]],
  ],
};

describe.each(Object.entries(PLACES))('a tensor in %s', (_, at) => {
  it('is found if its data is in another file', () => {
    for (const [how, tensor] of Object.entries(EXTERNAL)) {
      expect(hasExternalData(message([1, 8], ...at(tensor))), how).toBe(true);
    }
  });

  it('is accepted if its data is in the model', () => {
    expect(hasExternalData(message([1, 8], ...at(inside), [8, [[2, 17]]]))).toBe(false);
    expect(hasExternalData(message([1, 8], ...at([...inside, [14, 0]])))).toBe(false);
  });
});

it('accepts models of exporters', () => {
  const models = ['plugins/entities/src/testing/token-model/model.onnx'];
  for (const file of models) {
    expect(hasExternalData(readFileSync(join(import.meta.dirname, '../../../..', file)))).toBe(false);
  }
});

it('rejects bytes that are not a message, or that others may read in another way', () => {
  const nested = Array.from({ length: 40 }).reduce<Field[]>((inner) => [[1, [[5, [[6, inner]]]]]], []);
  const bad: Record<string, Uint8Array> = {
    'a field that is cut': message([7, Buffer.alloc(10)]).subarray(0, 5),
    'a number without an end': Buffer.alloc(11, 0xff),
    'a group': Buffer.concat([varint((7 << 3) | 3), varint((7 << 3) | 4)]),
    'the field 0': message([0, 1]),
    'too many levels': message([7, nested]),
    'a number of 8 bytes that is cut': Uint8Array.from([(1 << 3) | 1, 0, 0]),
  };
  for (const [what, bytes] of Object.entries(bad)) expect(() => hasExternalData(bytes), what).toThrow('byte');
});

it('ends for all bytes, and finds what it has found in a part of them', () => {
  const model = message(
    ...(PLACES['a graph in a graph'] as (tensor: Field[]) => Field[])(EXTERNAL['its place alone'] as Field[]),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(model.length), (noise, at) => {
      const changed = Buffer.concat([model.subarray(0, at), noise, model.subarray(at)]);
      try {
        expect(typeof hasExternalData(changed)).toBe('boolean');
      } catch (error) {
        expect((error as Error).message).toContain('is not a protobuf message');
      }
      // What comes before or after the model changes nothing in it.
      expect(hasExternalData(Buffer.concat([message([2, noise]), model, message([3, noise])]))).toBe(true);
    }),
  );
});
