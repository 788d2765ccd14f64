import { checkRuntime } from '@headrace/local-models';
import {
  type Document,
  OneOf,
  type ParameterProblem,
  READS,
  Stage,
  type StageContext,
  type Static,
  Type,
  UpdateModeParameter,
} from 'headrace/engine';
import { checkCache } from 'headrace/storage';
import type { CachedModel } from './fields/cached-model.ts';
import { checkVectorField, modelParameters } from './fields/model-parameters.ts';
import { addVectors, type TextFields } from './fields/text-fields.ts';

const parameters = Type.Object({
  /** The field with the text, in the document and in its children. If it is a list, its first value is used. */
  source: Type.String(),
  /**
   * The folder of the model: a model of Hugging Face with tokenizer.json or vocab.txt, and model.safetensors with
   * config.json (models of type bert) or an ONNX file (all models).
   */
  model: Type.String(READS),
  /** The field for the vector. */
  dest: Type.String({ default: 'embeddings' }),
  /** Whether the document itself is embedded. */
  embedDocument: Type.Boolean({ default: true }),
  /** Whether its attached children are embedded, such as those of ChunkText. */
  embedChildren: Type.Boolean({ default: false }),
  /** A text that is put before each text, such as "passage: ", which some models need. */
  prefix: Type.String({ default: '' }),
  /**
   * The numbers that the model uses: fp32, or q8, which has 8 bits, needs less memory and changes the vectors a little.
   */
  dtype: OneOf(['fp32', 'q8'], { default: 'fp32' }),
  ...modelParameters,
  /** What happens to a vector that the document has: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

/**
 * Adds the embedding of a text: a vector of numbers that represents its meaning. A model in a local folder makes it, in
 * a process that the run starts. Nothing is downloaded.
 *
 * The folder is a model of sentence-transformers or another encoder of Hugging Face. With dtype fp32, the vectors are
 * equal to those of sentence-transformers up to rounding. The stage reads how tokens are pooled, whether vectors are
 * normalized and how long texts may be from the files of the model; parameters replace these settings.
 *
 * For fp32, the stage looks for model.onnx and onnx/model.onnx, for q8 for model_quantized.onnx and model_int8.onnx,
 * also in onnx. If they do not exist, it reads model.safetensors and quantizes it for q8.
 *
 * An ONNX file must contain its weights: one that names other files is refused. A model that loads, or computes a batch of
 * texts, longer than worker.maxProcessingSecs is ended. If the policy of a service restricts scripts (as strict does), the
 * model of an uploaded config runs inside a boundary of the operating system; a machine without one refuses the stage.
 *
 * A document or child without a text in the source field does not change. Texts of documents that are processed
 * together share batches. Each pipeline thread holds the model in memory once, for all stages with the same settings.
 *
 * The stage needs the package onnxruntime-node, which is not installed with the plugin.
 */
export class LocalEmbed extends Stage<typeof parameters> {
  static readonly javaClass = null;
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Vectors of the chunks of a text',
      needs: 'A folder with a model',
      params: { source: 'text', model: 'models/all-MiniLM-L6-v2', embedDocument: false, embedChildren: true },
      documents: [{ id: '1', ___children: [{ id: '1-1', text: 'By the sea' }] }],
      output: [{ id: '1', ___children: [{ id: '1-1', text: 'By the sea', embeddings: [0.0273, 0.0523, -0.0133] }] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.embedDocument === false && params.embedChildren !== true) {
      yield { parameter: 'embedDocument', message: 'At least one of embedDocument and embedChildren must be true' };
    }
    yield* checkVectorField(params.dest);
    yield* checkCache(params.cache);
    yield* checkRuntime('model', params.device);
  }

  /** Enough documents for a full batch while the model computes another one. */
  override readonly maxInFlight: number;
  readonly #fields: TextFields;
  #model: CachedModel | undefined;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.maxInFlight = 4 * params.batchSize;
    this.#fields = {
      source: params.source,
      dest: params.dest,
      updateMode: params.updateMode,
      embedDocument: params.embedDocument,
      embedChildren: params.embedChildren,
    };
  }

  override async checkAccess(): Promise<void> {
    await this.start();
    try {
      await this.#model?.load();
    } finally {
      await this.stop();
    }
  }

  override async start(): Promise<void> {
    const { CachedModel } = await import('./fields/cached-model.ts');
    const { model, dtype, pooling, normalize, maxLength, batchSize, threads, device } = this.params;
    const { computeMillis } = this.context;
    const settings = { pooling, normalize, maxLength, batchSize, threads, device, computeMillis };
    this.#model = await CachedModel.open(
      { component: 'LocalEmbed', folder: model, dtype, ...settings },
      this.params.cache,
      this.context,
    );
  }

  override process(document: Document): Promise<void> | undefined {
    const { prefix } = this.params;
    return addVectors(document, this.#fields, this.context, (text, onCut) =>
      (this.#model as CachedModel).embed(prefix + text, onCut),
    );
  }

  override async stop(): Promise<void> {
    await this.#model?.close();
    this.#model = undefined;
  }
}
