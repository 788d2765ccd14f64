import { MICROSOFT, OnnxGraph } from './onnx-graph.ts';
import { quantizeRows } from './quantize-rows.ts';
import type { FloatTensor, Safetensors } from './safetensors.ts';

/** The settings of a BERT model that its graph depends on: the names in config.json. */
interface BertConfig {
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly hidden_size: number;
  readonly hidden_act: string;
  readonly layer_norm_eps: number;
}

const ACTIVATIONS: Readonly<Record<string, { operator: string; approximate?: string }>> = {
  gelu: { operator: 'Gelu', approximate: 'none' },
  gelu_new: { operator: 'Gelu', approximate: 'tanh' },
  gelu_pytorch_tanh: { operator: 'Gelu', approximate: 'tanh' },
  relu: { operator: 'Relu' },
};

/**
 * Turns the weights of a BERT encoder (config.json and model.safetensors of a Hugging Face model) into an ONNX model.
 * The model has the inputs `input_ids` and `attention_mask` and the output `last_hidden_state`. The token type is
 * always 0, as for single texts.
 * @param quantize whether the weights of the layers have 8 bits instead of 32
 */
export function bertGraph(config: unknown, weights: Safetensors, quantize: boolean): Uint8Array {
  const bert = readConfig(config);
  const graph = new OnnxGraph();
  const layers = new BertLayers(graph, bert, weights, quantize);
  const ids = graph.input('input_ids', 'int64', ['batch', 'length']);
  const mask = graph.node('Cast', [graph.input('attention_mask', 'int64', ['batch', 'length'])], { to: { int: 6 } });
  let hidden = layers.embeddings(ids);
  for (let i = 0; i < bert.num_hidden_layers; i++) hidden = layers.layer(i, hidden, mask);
  graph.node('Identity', [hidden], {}, { output: 'last_hidden_state' });
  graph.output('last_hidden_state', 'float', ['batch', 'length', bert.hidden_size]);
  return graph.encode();
}

class BertLayers {
  readonly #graph: OnnxGraph;
  readonly #config: BertConfig;
  readonly #weights: Safetensors;
  readonly #quantize: boolean;
  /** Models that were saved with a head, such as one for classification, have names that begin with `bert.`. */
  readonly #prefix: string;

  constructor(graph: OnnxGraph, config: BertConfig, weights: Safetensors, quantize: boolean) {
    this.#graph = graph;
    this.#config = config;
    this.#weights = weights;
    this.#quantize = quantize;
    this.#prefix = [...weights.names].some((name) => name.startsWith('bert.')) ? 'bert.' : '';
  }

  /** The sum of the embeddings of the token, its position and its type, normalized. */
  embeddings(ids: string): string {
    const graph = this.#graph;
    const words = graph.node('Gather', [this.#weight('embeddings.word_embeddings.weight'), ids]);
    const length = graph.node('Shape', [ids], { start: { int: 1 }, end: { int: 2 } });
    const positions = graph.node('Slice', [this.#positions(), graph.integers([0]), length]);
    return this.#norm('embeddings.LayerNorm', graph.node('Add', [words, positions]));
  }

  layer(i: number, hidden: string, mask: string): string {
    const graph = this.#graph;
    const at = `encoder.layer.${i}`;
    const [query = '', key = '', value = ''] = ['query', 'key', 'value'].map((name) =>
      this.#linear(`${at}.attention.self.${name}`, hidden),
    );
    const attention = graph.node(
      'MultiHeadAttention',
      [query, key, value, '', mask],
      { num_heads: { int: this.#config.num_attention_heads } },
      { domain: MICROSOFT },
    );
    const attended = graph.node('Add', [this.#linear(`${at}.attention.output.dense`, attention), hidden]);
    const middle = this.#norm(`${at}.attention.output.LayerNorm`, attended);
    const inner = this.#activation(this.#linear(`${at}.intermediate.dense`, middle));
    const outer = graph.node('Add', [this.#linear(`${at}.output.dense`, inner), middle]);
    return this.#norm(`${at}.output.LayerNorm`, outer);
  }

  /** Returns input × weights + bias. */
  #linear(name: string, input: string): string {
    const graph = this.#graph;
    const weight = this.#floats(`${name}.weight`);
    const [outputs = 0, inputs = 0] = weight.shape;
    const product = this.#quantize
      ? graph.node(
          'MatMulNBits',
          [input, ...quantizeRows(weight).map((part) => graph.weight(part))],
          // Level 4 multiplies integers of 8 bits.
          {
            K: { int: inputs },
            N: { int: outputs },
            bits: { int: 8 },
            block_size: { int: 32 },
            accuracy_level: { int: 4 },
          },
          { domain: MICROSOFT },
        )
      : graph.node('MatMul', [input, this.#add({ shape: [inputs, outputs], values: transposed(weight) })]);
    return graph.node('Add', [product, this.#weight(`${name}.bias`)]);
  }

  #norm(name: string, input: string): string {
    return this.#graph.node(
      'LayerNormalization',
      [input, this.#weight(`${name}.weight`), this.#weight(`${name}.bias`)],
      {
        epsilon: this.#config.layer_norm_eps,
      },
    );
  }

  #activation(input: string): string {
    const { operator, approximate } = ACTIVATIONS[this.#config.hidden_act] as {
      operator: string;
      approximate?: string;
    };
    return this.#graph.node(operator, [input], approximate === undefined ? {} : { approximate });
  }

  /** The embeddings of positions, to which the embedding of the type 0 is added. */
  #positions(): string {
    const { shape, values } = this.#floats('embeddings.position_embeddings.weight');
    const type = this.#floats('embeddings.token_type_embeddings.weight').values;
    const { hidden_size } = this.#config;
    return this.#add({ shape, values: values.map((value, i) => value + (type[i % hidden_size] as number)) });
  }

  #weight(name: string): string {
    return this.#add(this.#floats(name));
  }

  #floats(name: string): FloatTensor {
    return this.#weights.floats(this.#prefix + name);
  }

  #add({ shape, values }: FloatTensor): string {
    return this.#graph.weight({ type: 'float', shape, data: bytesOf(values) });
  }
}

function transposed({ shape, values }: FloatTensor): Float32Array {
  const [rows = 0, columns = 0] = shape;
  const result = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      result[column * rows + row] = values[row * columns + column] as number;
    }
  }
  return result;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function readConfig(config: unknown): BertConfig {
  if (typeof config !== 'object' || config === null)
    throw new Error('the folder has no config.json with the settings of the model');
  const found = config as Record<string, unknown>;
  const { model_type, position_embedding_type = 'absolute', hidden_act = 'gelu', layer_norm_eps = 1e-12 } = found;
  if (model_type !== 'bert') {
    throw new Error(
      `the model type is ${model_type}: only models of type bert are read from safetensors. ` +
        'Put an ONNX file of the model into the folder, such as onnx/model.onnx.',
    );
  }
  if (position_embedding_type !== 'absolute') {
    throw new Error(`position_embedding_type is ${position_embedding_type}, only absolute is supported`);
  }
  if (!Object.hasOwn(ACTIVATIONS, String(hidden_act))) {
    throw new Error(`hidden_act is ${hidden_act}, expected one of ${Object.keys(ACTIVATIONS).join(', ')}`);
  }
  for (const name of ['num_hidden_layers', 'num_attention_heads', 'hidden_size']) {
    if (!(Number.isInteger(found[name]) && (found[name] as number) > 0)) throw new Error(`config.json has no ${name}`);
  }
  return { ...found, hidden_act, layer_norm_eps } as BertConfig;
}
