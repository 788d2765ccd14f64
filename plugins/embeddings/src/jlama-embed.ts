import { join } from 'node:path';
import { checkRuntime } from '@headrace/local-models';
import {
  CONNECTS,
  type Document,
  HeadraceError,
  type ParameterProblem,
  READS,
  Stage,
  type StageContext,
  type Static,
  type TouchedFile,
  Type,
  UpdateModeParameter,
} from 'headrace/engine';
import { checkCache } from 'headrace/storage';
import type { CachedModel } from './fields/cached-model.ts';
import { checkVectorField, modelParameters } from './fields/model-parameters.ts';
import { addVectors, type TextFields } from './fields/text-fields.ts';

const parameters = Type.Object({
  /** The field with the text. If it is a list, its first value is used. */
  source: Type.String(),
  /** The name of the model on Hugging Face: owner/name. */
  model: Type.String(),
  /** The folder of the models. The model itself is in the folder owner_name in it. */
  pathToStoreModel: Type.String(READS),
  /** The field for the vector. */
  dest: Type.String({ default: 'embeddings' }),
  /** Accepted because Lucille has it. Has no effect: the model computes with floats of 32 bits. */
  workingMemoryType: Type.Optional(Type.String()),
  /**
   * The type of the weights: I8, U8, Q4 and Q5 use weights of 8 bits, which need less memory and change the vectors a
   * little. Other values use floats of 32 bits.
   */
  workingQuantizationType: Type.String({ default: 'F32' }),
  /** Whether the folder of the model is deleted after the run. Needs allowDownload. */
  deleteModelAfter: Type.Boolean({ default: false }),
  /** Whether a model that is not in its folder is downloaded when the run starts. */
  allowDownload: Type.Boolean({ default: false }),
  /** The URL of the server with the models. */
  hubUrl: Type.String({ default: 'https://huggingface.co', ...CONNECTS }),
  ...modelParameters,
  /** What happens to a vector that the document has: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

type Params = Static<typeof parameters>;

const EIGHT_BITS = ['I8', 'U8', 'Q4', 'Q5'];
/** A name that is safe as the name of a folder. */
const MODEL_NAME = /^(?:[A-Za-z0-9][\w.-]*\/)?[A-Za-z0-9][\w.-]*$/;

/**
 * Adds the embedding of a text: a vector of numbers that represents its meaning. A BERT model of Hugging Face makes it,
 * in a process that the run starts.
 *
 * The stage has the parameters of JlamaEmbed of Lucille and reads the same folders. If the folder does not exist, the
 * model is only downloaded with allowDownload: true. LocalEmbed does the same for any folder and for ONNX models.
 *
 * A document without a text in the source field does not change. Texts of documents that are processed together share
 * batches. Long texts are cut, which is a notice. Each pipeline thread holds the model in memory.
 *
 * The vectors differ a little from those of Jlama, which rounds more. Index all documents again after a migration.
 *
 * The limits and the boundary for uploaded configs are those of LocalEmbed.
 *
 * The stage needs the package onnxruntime-node, which is not installed with the plugin.
 */
export class JlamaEmbed extends Stage<typeof parameters> {
  static readonly javaClass = 'com.kmwllc.lucille.jlama.stage.JlamaEmbed';
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Vectors of titles with a model that was downloaded before',
      needs: 'The folder models/sentence-transformers_all-MiniLM-L6-v2',
      params: { source: 'title', model: 'sentence-transformers/all-MiniLM-L6-v2', pathToStoreModel: 'models' },
      documents: [{ id: '1', title: 'By the sea' }],
      output: [{ id: '1', title: 'By the sea', embeddings: [0.0273, 0.0523, -0.0133] }],
    },
  ];

  static override *check(params: Params): Generator<ParameterProblem> {
    yield* checkVectorField(params.dest);
    yield* checkCache(params.cache);
    yield* checkRuntime('model', params.device);
    if (!MODEL_NAME.test(params.model)) {
      const hint = 'For example sentence-transformers/all-MiniLM-L6-v2. For a folder, use the stage LocalEmbed.';
      yield { parameter: 'model', message: `model is ${params.model}, which is not the name of a model`, hint };
    }
    const { workingMemoryType = 'F32', deleteModelAfter, allowDownload } = params;
    if (workingMemoryType.trim().toUpperCase() !== 'F32') {
      const message = 'workingMemoryType has no effect: the model computes with floats of 32 bits';
      yield { parameter: 'workingMemoryType', severity: 'warning', message, hint: 'Remove it.' };
    }
    if (deleteModelAfter === true && allowDownload !== true) {
      const message = 'deleteModelAfter has no effect without allowDownload: the model could not be used again';
      yield { parameter: 'deleteModelAfter', severity: 'warning', message, hint: 'Remove it, or set allowDownload.' };
    }
    if (!/^https?:$/.test(URL.parse(params.hubUrl)?.protocol ?? '')) {
      yield { parameter: 'hubUrl', message: 'hubUrl must be an http or https URL' };
    }
  }

  static override *touches(params: Params): Generator<TouchedFile> {
    const path = folderOf(params);
    yield { parameter: 'model', access: 'read', path, verb: 'read the model in' };
    if (params.allowDownload !== true) return;
    yield { parameter: 'allowDownload', access: 'write', path, verb: 'download the model to' };
  }

  /** Enough documents for a full batch while the model computes another one. */
  override readonly maxInFlight: number;
  readonly #fields: TextFields;
  #model: CachedModel | undefined;

  constructor(params: Params, context: StageContext) {
    super(params, context);
    this.maxInFlight = 4 * params.batchSize;
    this.#fields = {
      source: params.source,
      dest: params.dest,
      updateMode: params.updateMode,
      embedDocument: true,
      embedChildren: false,
    };
  }

  override async checkAccess(): Promise<void> {
    if (this.params.allowDownload === true && !(await this.#isComplete())) {
      const { checkModelAccess } = await import('./hub/download-model.ts');
      await checkModelAccess(this.#hubModel());
    } else {
      await this.start();
      try {
        await this.#model?.load();
      } finally {
        await this.stop();
      }
    }
  }

  override async start(): Promise<void> {
    const folder = folderOf(this.params);
    if (!(await this.#isComplete())) {
      if (this.params.allowDownload !== true) throw this.#missingModel();
      this.context.log.info(`Downloading the model ${this.params.model} to ${folder}`);
      const { downloadModel } = await import('./hub/download-model.ts');
      await downloadModel(this.#hubModel(), folder);
    }
    const { pooling, normalize, maxLength, batchSize, threads, device, workingQuantizationType } = this.params;
    const dtype = EIGHT_BITS.includes(workingQuantizationType.trim().toUpperCase()) ? 'q8' : 'fp32';
    const { CachedModel } = await import('./fields/cached-model.ts');
    const { computeMillis } = this.context;
    const settings = { pooling, normalize, maxLength, batchSize, threads, device, computeMillis };
    this.#model = await CachedModel.open(
      { component: 'JlamaEmbed', folder, dtype, ...settings },
      this.params.cache,
      this.context,
    );
  }

  override process(document: Document): Promise<void> | undefined {
    return addVectors(document, this.#fields, this.context, (text, onCut) =>
      (this.#model as CachedModel).embed(text, onCut),
    );
  }

  override async stop(): Promise<void> {
    if (this.#model === undefined) return;
    await this.#model.close();
    this.#model = undefined;
    const { deleteModelAfter, allowDownload } = this.params;
    // Other threads have loaded the model, and do not read the folder again.
    if (deleteModelAfter !== true || allowDownload !== true || this.context.threadNumber !== 1) return;
    const { removeModelFolder } = await import('./local-files/model-files.ts');
    await removeModelFolder(folderOf(this.params));
  }

  async #isComplete(): Promise<boolean> {
    const { hasWeights } = await import('./local-files/model-files.ts');
    return hasWeights(folderOf(this.params));
  }

  #hubModel(): { hub: string; name: string } {
    return { hub: this.params.hubUrl, name: this.params.model };
  }

  #missingModel(): HeadraceError {
    const { model } = this.params;
    const message = `The model ${model} is not in ${folderOf(this.params)}, and allowDownload is not set`;
    return new HeadraceError('HR_SOURCE_UNREADABLE', message, {
      hint: 'Put the files of the model there, or set allowDownload: true.',
    });
  }
}

/** Returns the folder of a model, with the name that Jlama uses. */
function folderOf({ model, pathToStoreModel }: Params): string {
  const [name = '', owner = 'na'] = model.split('/').reverse();
  return join(pathToStoreModel, `${owner}_${name}`);
}
