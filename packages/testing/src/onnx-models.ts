/** Writes ONNX models for tests. The numbers are those of the fields in onnx.proto3. */

export type Field = readonly [number: number, value: number | bigint | Uint8Array | readonly Field[]];

/** Writes a message of Protocol Buffers. */
export function message(...fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number' || typeof value === 'bigint') return [varint(number << 3), varint(value)];
      const bytes = value instanceof Uint8Array ? value : message(...value);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

export const text = (value: string): Uint8Array => Buffer.from(value);

const [FLOAT, INT64, BOOL] = [1, 7, 9];
const GIB = 2 ** 30;

function node(type: string, inputs: readonly string[], output: string, ...attributes: Field[][]): Field {
  const names = inputs.map((name): Field => [1, text(name)]);
  return [1, [...names, [2, text(output)], [4, text(type)], ...attributes.map((each): Field => [5, each])]];
}

const integer = (name: string, value: number): Field[] => [
  [1, text(name)],
  [3, value],
  [20, 2],
];

/** A tensor with values of 8 bytes, or of one byte if they are booleans. */
function tensor(name: string, type: number, dims: readonly number[], values: readonly bigint[]): Field {
  const bytes = type === BOOL ? Uint8Array.from(values, Number) : new Uint8Array(BigInt64Array.from(values).buffer);
  return [5, [...dims.map((size): Field => [1, size]), [2, type], [8, text(name)], [9, bytes]]];
}

function value(field: 11 | 12, name: string, type: number, dims: readonly string[]): Field {
  const shape = dims.map((dim): Field => [1, [[2, text(dim)]]]);
  return [
    field,
    [
      [1, text(name)],
      [
        2,
        [
          [
            1,
            [
              [1, type],
              [2, shape],
            ],
          ],
        ],
      ],
    ],
  ];
}

function model(...graph: Field[]): Uint8Array {
  const inputs = ['input_ids', 'attention_mask'].map((name) => value(11, name, INT64, ['b', 'l']));
  const output = value(12, 'last_hidden_state', FLOAT, ['b', 'l', 'd']);
  // The output has 4 values for each token, all of them the value `result`.
  const ending = [
    node('Shape', ['input_ids'], 'shape'),
    node('Concat', ['shape', 'four'], 'whole', integer('axis', 0)),
    node('Expand', ['result', 'whole'], 'last_hidden_state'),
  ];
  const all = [...graph, ...ending, [2, text('graph')] as const, tensor('four', INT64, [1], [4n]), ...inputs, output];
  return message([1, 8], [7, all], [8, [[2, 17]]]);
}

/** A model that computes without end. */
export function endlessModel(): Uint8Array {
  const body: Field[] = [
    node('Identity', ['go'], 'goes'),
    node('Sin', ['x'], 'y'),
    [2, text('body')],
    value(11, 'i', INT64, []),
    value(11, 'go', BOOL, []),
    value(11, 'x', FLOAT, []),
    value(12, 'goes', BOOL, []),
    value(12, 'y', FLOAT, []),
  ];
  return model(
    node('Cast', ['input_ids'], 'floats', integer('to', FLOAT)),
    node('ReduceSum', ['floats'], 'sum', integer('keepdims', 0)),
    node('Loop', ['times', 'go0', 'sum'], 'result', [
      [1, text('body')],
      [6, body],
      [20, 5],
    ]),
    tensor('times', INT64, [], [2n ** 62n]),
    tensor('go0', BOOL, [], [1n]),
  );
}

/** A small model that fills a tensor of some GiB when it computes. */
export function hugeModel(gib: number): Uint8Array {
  return model(
    node('Shape', ['input_ids'], 'sizes'),
    node('ReduceMin', ['sizes'], 'least', integer('keepdims', 0)),
    node('Div', ['least', 'least'], 'one'),
    node('Mul', ['size', 'one'], 'huge'),
    node('ConstantOfShape', ['huge'], 'filled'),
    node('ReduceSum', ['filled'], 'result', integer('keepdims', 0)),
    tensor('size', INT64, [1], [BigInt((gib * GIB) / 4)]),
  );
}

/** A model whose output is the content of a file of the machine. */
export function readingModel(path: string, bytes: number): Uint8Array {
  const entry = (key: string, content: string): Field => [
    13,
    [
      [1, text(key)],
      [2, text(content)],
    ],
  ];
  const UINT8 = 2;
  const secret: Field[] = [
    [1, bytes],
    [2, UINT8],
    [8, text('secret')],
    entry('location', path),
    entry('length', String(bytes)),
    [14, 1],
  ];
  return model(node('Cast', ['secret'], 'result', integer('to', FLOAT)), [5, secret]);
}
