import { DEVICES } from '@headrace/local-models';
import { capped, OneOf, type ParameterProblem, RESERVED_FIELDS, Type } from 'headrace/engine';
import { CacheParameter } from 'headrace/storage';

/** The parameters that all stages with a local model have. */
export const modelParameters = {
  /**
   * How the vectors of the tokens become the vector of the text: mean, cls (the vector of the first token) or max.
   * Defaults to the setting of the model in 1_Pooling/config.json, otherwise mean.
   */
  pooling: Type.Optional(OneOf(['mean', 'cls', 'max'])),
  /**
   * Whether vectors have the length 1. Defaults to the setting of the model in modules.json, otherwise true.
   */
  normalize: Type.Optional(Type.Boolean()),
  /**
   * The maximum number of tokens of a text. A longer text is cut. Defaults to the setting of the model in
   * sentence_bert_config.json, otherwise 512.
   */
  maxLength: Type.Optional(Type.Integer({ minimum: 3, ...capped('maxItems') })),
  /**
   * The maximum number of texts that the model computes together. A processor gets fewer long texts at a time: at most
   * 512 tokens, or one text.
   */
  batchSize: Type.Integer({ default: 32, minimum: 1, maximum: 1024 }),
  /**
   * How many processor threads each pipeline thread uses for the model. Each pipeline thread holds the model in memory,
   * so more threads here need less memory than more pipeline threads.
   */
  threads: Type.Integer({ default: 1, minimum: 1, maximum: 64, ...capped('maxThreads') }),
  /**
   * What computes the model: cpu, or a graphics card with cuda (Linux), coreml (macOS), dml (Windows) or webgpu. It
   * must be offered by the installed onnxruntime-node.
   */
  device: OneOf(DEVICES, { default: 'cpu' }),
  /**
   * Keeps vectors between runs, by model and text, so that the model computes a text once: path (a SQLite file) or
   * connectionString and table (Postgres, Redis), maxMegabytes and maxAgeDays. Defaults to none.
   */
  cache: Type.Optional(CacheParameter),
};

/** Reports a name that no stage may write. */
export function* checkVectorField(name: string): Generator<ParameterProblem> {
  if (name === '') yield { parameter: 'dest', message: 'dest must not be empty' };
  else if (RESERVED_FIELDS.has(name)) {
    yield { parameter: 'dest', message: `dest names ${name}, which is a reserved field`, hint: 'Choose another name.' };
  }
}
