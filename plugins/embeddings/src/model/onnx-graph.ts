import { ProtobufWriter } from './protobuf-writer.ts';

/** The types of tensors, with their numbers in ONNX. */
const TYPES = { float: 1, uint8: 2, int32: 6, int64: 7 } as const;
type TensorType = keyof typeof TYPES;

/** An attribute of a node. A plain number is a float; `{ int: 1 }` is an integer. */
type Attribute = number | string | { readonly int: number } | { readonly ints: readonly number[] };

/** A weight of the model. Numbers are in the byte order of the machine, which is little-endian as in ONNX. */
export interface Weight {
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** ONNX 1.15: the first version of the operators with Gelu. */
const OPERATORS = 20;
const FORMAT = 9;
/** The operators of ONNX Runtime that ONNX does not have. */
export const MICROSOFT = 'com.microsoft';

/** Builds an ONNX model. The names of the fields are in onnx.proto of the ONNX project. */
export class OnnxGraph {
  readonly #graph = new ProtobufWriter().text(2, 'model');
  #names = 0;

  /** Declares an input with the given sizes. A text is the name of a size that each call may choose. */
  input(name: string, type: TensorType, sizes: readonly (number | string)[]): string {
    this.#graph.message(11, valueInfo(name, type, sizes));
    return name;
  }

  output(name: string, type: TensorType, sizes: readonly (number | string)[]): void {
    this.#graph.message(12, valueInfo(name, type, sizes));
  }

  /** Adds a weight and returns its name. */
  weight({ type, shape, data }: Weight): string {
    const name = this.#name();
    this.#graph.message(
      5,
      new ProtobufWriter().integers(1, shape).integer(2, TYPES[type]).text(8, name).bytes(9, data),
    );
    return name;
  }

  /** Adds a list of integers of 64 bits and returns its name. -1 is allowed. */
  integers(values: readonly number[]): string {
    const data = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    return this.weight({ type: 'int64', shape: [values.length], data });
  }

  /**
   * Adds a node with one output, and returns the name of the output.
   * @param inputs an empty text is an optional input that is absent
   */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    { domain = '', output = this.#name() } = {},
  ): string {
    const node = new ProtobufWriter();
    for (const input of inputs) node.text(1, input);
    node.text(2, output).text(4, operator);
    for (const [name, value] of Object.entries(attributes)) node.message(5, attribute(name, value));
    if (domain !== '') node.text(7, domain);
    this.#graph.message(1, node);
    return output;
  }

  /** Returns the model as the content of an ONNX file. */
  encode(): Uint8Array {
    const model = new ProtobufWriter().integer(1, FORMAT).text(2, 'headrace').message(7, this.#graph);
    model.message(8, new ProtobufWriter().text(1, '').integer(2, OPERATORS));
    model.message(8, new ProtobufWriter().text(1, MICROSOFT).integer(2, 1));
    return Buffer.concat(model.chunks, model.length);
  }

  #name(): string {
    this.#names++;
    return `n${this.#names}`;
  }
}

function valueInfo(name: string, type: TensorType, sizes: readonly (number | string)[]): ProtobufWriter {
  const shape = new ProtobufWriter();
  for (const size of sizes) {
    const dimension = new ProtobufWriter();
    shape.message(1, typeof size === 'number' ? dimension.integer(1, size) : dimension.text(2, size));
  }
  const tensor = new ProtobufWriter().integer(1, TYPES[type]).message(2, shape);
  return new ProtobufWriter().text(1, name).message(2, new ProtobufWriter().message(1, tensor));
}

function attribute(name: string, value: Attribute): ProtobufWriter {
  const message = new ProtobufWriter().text(1, name);
  if (typeof value === 'number') return message.float(2, value).integer(20, 1);
  if (typeof value === 'string') return message.text(4, value).integer(20, 3);
  if ('int' in value) return message.integer(3, value.int).integer(20, 2);
  return message.integers(8, value.ints).integer(20, 7);
}
