import { parseJson } from 'headrace/engine';

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** A tensor whose numbers are floats of 32 bits. */
export interface FloatTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

/**
 * Reads the tensors of a safetensors file: a length of 8 bytes, a JSON object with the type, shape and position of each
 * tensor, and the numbers.
 */
export class Safetensors {
  readonly #content: Buffer<ArrayBuffer>;
  readonly #start: number;
  readonly #entries: ReadonlyMap<string, Entry>;

  /** Throws if the content is not a safetensors file. */
  constructor(content: Buffer<ArrayBuffer>) {
    const length = content.length < 8 ? Number.NaN : Number(content.readBigUInt64LE());
    if (!(length <= content.length - 8)) throw new Error('the file is not a safetensors file, or is cut off');
    this.#start = 8 + length;
    this.#content = content;
    let header: Record<string, Entry>;
    try {
      header = parseJson(content.toString('utf8', 8, this.#start)) as Record<string, Entry>;
    } catch (error) {
      throw new Error(`the header of the safetensors file is not JSON: ${(error as Error).message}`);
    }
    this.#entries = new Map(Object.entries(header).filter(([name]) => name !== '__metadata__'));
  }

  get names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Returns a tensor, converted to floats of 32 bits. Throws if it is missing, cut off, or has a type without floats. */
  floats(name: string): FloatTensor {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new Error(`the model has no tensor ${name}`);
    const { dtype, shape, data_offsets } = entry;
    const [from, to] = [this.#start + data_offsets[0], this.#start + data_offsets[1]];
    const count = shape.reduce((product, size) => product * size, 1);
    const width = dtype === 'F32' ? 4 : dtype === 'F16' || dtype === 'BF16' ? 2 : undefined;
    if (width === undefined) throw new Error(`the tensor ${name} has the type ${dtype}, expected F32, F16 or BF16`);
    if (to - from !== count * width || from < this.#start || to > this.#content.length) {
      throw new Error(`the tensor ${name} is cut off`);
    }
    // A copy, because a tensor may begin at any byte.
    const bytes = this.#content.buffer.slice(this.#content.byteOffset + from, this.#content.byteOffset + to);
    if (dtype === 'F32') return { shape, values: new Float32Array(bytes) };
    const halves = new Uint16Array(bytes);
    return { shape, values: dtype === 'BF16' ? fromBfloat16(halves) : Float32Array.from(halves, fromFloat16) };
  }
}

/** The upper half of a float of 32 bits. */
function fromBfloat16(halves: Uint16Array): Float32Array {
  return new Float32Array(Uint32Array.from(halves, (half) => half * 65_536).buffer);
}

/** 1 bit for the sign, 5 for the exponent, 10 for the fraction (IEEE 754). */
function fromFloat16(half: number): number {
  const sign = half >= 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
