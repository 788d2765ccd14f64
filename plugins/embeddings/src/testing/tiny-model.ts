import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const VOCABULARY = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', 'by', 'the', 'sea', 'ship', '##s', 'old', ','];
const HIDDEN = 32;
const HEADS = 2;
const LAYERS = 2;
const INNER = 64;
const POSITIONS = 16;

type Precision = 'F32' | 'F16' | 'BF16';
type Matrix = readonly (readonly number[])[];

/** A BERT model with random weights, and its results, which are computed without any library. */
export class TinyModel {
  readonly #weights = new Map<string, { readonly shape: readonly number[]; readonly values: readonly number[] }>();
  #seed = 1;

  constructor() {
    this.#add('embeddings.word_embeddings.weight', VOCABULARY.length, HIDDEN);
    this.#add('embeddings.position_embeddings.weight', POSITIONS, HIDDEN);
    this.#add('embeddings.token_type_embeddings.weight', 2, HIDDEN);
    this.#add('embeddings.LayerNorm.weight', HIDDEN);
    this.#add('embeddings.LayerNorm.bias', HIDDEN);
    for (let i = 0; i < LAYERS; i++) {
      const at = `encoder.layer.${i}`;
      for (const name of ['query', 'key', 'value']) this.#addLinear(`${at}.attention.self.${name}`, HIDDEN, HIDDEN);
      this.#addLinear(`${at}.attention.output.dense`, HIDDEN, HIDDEN);
      this.#addLinear(`${at}.intermediate.dense`, INNER, HIDDEN);
      this.#addLinear(`${at}.output.dense`, HIDDEN, INNER);
      for (const name of ['attention.output', 'output']) {
        this.#add(`${at}.${name}.LayerNorm.weight`, HIDDEN);
        this.#add(`${at}.${name}.LayerNorm.bias`, HIDDEN);
      }
    }
  }

  /** Writes the files of the model, and others, to a folder, which is a new one by default. Returns the folder. */
  write(
    others: Readonly<Record<string, object>> = {},
    precision: Precision = 'F32',
    prefix = '',
    folder = mkdtempSync(join(tmpdir(), 'tiny-model-')),
  ): string {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'vocab.txt'), VOCABULARY.map((token) => `${token}\n`).join(''));
    writeFileSync(join(folder, 'model.safetensors'), this.#safetensors(precision, prefix));
    const files = { 'config.json': TinyModel.config, ...others };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      writeFileSync(join(folder, name), JSON.stringify(content));
    }
    return folder;
  }

  static readonly config = {
    model_type: 'bert',
    hidden_act: 'gelu',
    hidden_size: HIDDEN,
    intermediate_size: INNER,
    layer_norm_eps: 1e-12,
    max_position_embeddings: POSITIONS,
    num_attention_heads: HEADS,
    num_hidden_layers: LAYERS,
  };

  /** Returns the vectors of the tokens, which are words of the vocabulary. */
  vectors(words: readonly string[]): Matrix {
    const { values: positions } = this.#get('embeddings.position_embeddings.weight');
    const { values: embeddings } = this.#get('embeddings.word_embeddings.weight');
    const { values: types } = this.#get('embeddings.token_type_embeddings.weight');
    let hidden: Matrix = words.map((word, position) =>
      range(HIDDEN).map(
        (i) =>
          at(embeddings, VOCABULARY.indexOf(word) * HIDDEN + i) + at(positions, position * HIDDEN + i) + at(types, i),
      ),
    );
    hidden = this.#norm('embeddings.LayerNorm', hidden);
    for (let i = 0; i < LAYERS; i++) {
      const layer = `encoder.layer.${i}`;
      const attention = this.#linear(`${layer}.attention.output.dense`, this.#attention(layer, hidden));
      const middle = this.#norm(`${layer}.attention.output.LayerNorm`, sum(attention, hidden));
      const inner = this.#linear(`${layer}.intermediate.dense`, middle).map((row) => row.map(gelu));
      hidden = this.#norm(`${layer}.output.LayerNorm`, sum(this.#linear(`${layer}.output.dense`, inner), middle));
    }
    return hidden;
  }

  #attention(layer: string, hidden: Matrix): Matrix {
    const [queries, keys, values] = ['query', 'key', 'value'].map((name) =>
      this.#linear(`${layer}.attention.self.${name}`, hidden),
    ) as [Matrix, Matrix, Matrix];
    const size = HIDDEN / HEADS;
    return queries.map((query) =>
      range(HEADS).flatMap((head) => {
        const part = range(size).map((i) => head * size + i);
        const scores = keys.map((key) =>
          Math.exp(part.reduce((product, i) => product + at(query, i) * at(key, i), 0) / Math.sqrt(size)),
        );
        const total = scores.reduce((a, b) => a + b);
        return part.map((i) => values.reduce((result, value, k) => result + (at(scores, k) / total) * at(value, i), 0));
      }),
    );
  }

  #linear(name: string, input: Matrix): Matrix {
    const { shape, values } = this.#get(`${name}.weight`);
    const { values: bias } = this.#get(`${name}.bias`);
    const [outputs = 0, inputs = 0] = shape;
    return input.map((row) =>
      range(outputs).map((o) => row.reduce((result, x, i) => result + x * at(values, o * inputs + i), at(bias, o))),
    );
  }

  #norm(name: string, input: Matrix): Matrix {
    const { values: weight } = this.#get(`${name}.weight`);
    const { values: bias } = this.#get(`${name}.bias`);
    return input.map((row) => {
      const mean = row.reduce((a, b) => a + b) / row.length;
      const variance = row.reduce((squares, x) => squares + (x - mean) ** 2, 0) / row.length;
      return row.map((x, i) => ((x - mean) / Math.sqrt(variance + 1e-12)) * at(weight, i) + at(bias, i));
    });
  }

  #addLinear(name: string, outputs: number, inputs: number): void {
    this.#add(`${name}.weight`, outputs, inputs);
    this.#add(`${name}.bias`, outputs);
  }

  /** Adds random weights that are multiples of 1/64 from -1 to 1, which all precisions hold exactly. */
  #add(name: string, ...shape: number[]): void {
    const values = range(shape.reduce((a, b) => a * b)).map(() => {
      this.#seed = (this.#seed * 48_271) % 2_147_483_647;
      return ((this.#seed % 129) - 64) / 64;
    });
    this.#weights.set(name, { shape, values });
  }

  #get(name: string): { readonly shape: readonly number[]; readonly values: readonly number[] } {
    return this.#weights.get(name) as { shape: number[]; values: number[] };
  }

  #safetensors(precision: Precision, prefix: string): Buffer {
    const header: Record<string, object> = { __metadata__: { format: 'pt' } };
    const parts: Buffer[] = [];
    let end = 0;
    for (const [name, { shape, values }] of this.#weights) {
      const bytes = Buffer.concat(values.map((value) => numberBytes(value, precision)));
      header[prefix + name] = { dtype: precision, shape, data_offsets: [end, end + bytes.length] };
      parts.push(bytes);
      end += bytes.length;
    }
    const json = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(json.length));
    return Buffer.concat([length, json, ...parts]);
  }
}

function numberBytes(value: number, precision: Precision): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  if (precision === 'F32') return bytes;
  if (precision === 'BF16') return bytes.subarray(2);
  const view = new DataView(new ArrayBuffer(2)) as DataView & {
    setFloat16(at: number, value: number, littleEndian: boolean): void;
  };
  view.setFloat16(0, value, true);
  return Buffer.from(view.buffer);
}

/** x times the probability that a normal variable is below x, by the series of the error function. */
function gelu(x: number): number {
  if (Math.abs(x) > 7) return Math.max(x, 0);
  let term = x / Math.sqrt(2);
  let series = term;
  for (let n = 1; n < 200; n++) {
    term *= -(x * x) / 2 / n;
    series += term / (2 * n + 1);
  }
  return 0.5 * x * (1 + (2 / Math.sqrt(Math.PI)) * series);
}

function sum(a: Matrix, b: Matrix): Matrix {
  return a.map((row, i) => row.map((x, j) => x + at(b[i] as readonly number[], j)));
}

function at(values: readonly number[], i: number): number {
  return values[i] as number;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
