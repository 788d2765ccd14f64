import { checkRuntime, DEVICES } from '@headrace/local-models';
import {
  capped,
  type Document,
  type JsonObject,
  MapOf,
  OneOf,
  type ParameterProblem,
  READS,
  RESERVED_FIELDS,
  Stage,
  type Static,
  type TouchedFile,
  Type,
  toValue,
  type UpdateMode,
} from 'headrace/engine';
import { checkStorageSettings, type StorageSettings, storageParameters } from 'headrace/storage';
import type { Entity, EntityEngine } from './engines/entity-engine.ts';
import { ENTITY_TYPES, type EntityType, entityTypeOf } from './engines/entity-types.ts';

const parameters = Type.Object({
  /** The field with the text, in whole sentences. All values of a list are searched. */
  textField: Type.String(),
  /**
   * What to find: for each field the path of a model of OpenNLP for names. A path may be local, classpath:, or an
   * object of a cloud. For the engine compromise, the name of the model or of the field says what to find: person,
   * location or organization. For the engine onnx, a type of the model without B- or I-, such as PER.
   */
  models: MapOf(Type.String(), { minProperties: 1 }),
  /** The path of the model of OpenNLP that splits texts into words. Only for opennlp. */
  tokenizerPath: Type.Optional(Type.String(READS)),
  /**
   * What finds the names: opennlp; compromise, which needs no models and knows rules and words of English; or onnx, a
   * model for token classification in ONNX Runtime.
   */
  engine: OneOf(['opennlp', 'compromise', 'onnx'], { default: 'opennlp' }),
  /**
   * The folder of the model for onnx: a model of Hugging Face for token classification, with config.json, tokenizer.json
   * or vocab.txt, and model.onnx or onnx/model.onnx (for q8 model_quantized.onnx or model_int8.onnx).
   */
  model: Type.Optional(Type.String(READS)),
  /** The numbers that the model for onnx uses: fp32, or q8, which has 8 bits and needs less memory. */
  dtype: OneOf(['fp32', 'q8'], { default: 'fp32' }),
  /**
   * How the pieces of a word get one label with onnx, as in the pipeline of transformers: first, average, max; or
   * simple, if pieces keep their labels.
   */
  aggregation: OneOf(['first', 'average', 'max', 'simple'], { default: 'first' }),
  /** How many processor threads each pipeline thread uses for the model for onnx. */
  threads: Type.Integer({ default: 1, minimum: 1, maximum: 64, ...capped('maxThreads') }),
  /**
   * What computes the model for onnx: cpu, or a graphics card with cuda (Linux), coreml (macOS), dml (Windows) or
   * webgpu. It must be offered by the installed onnxruntime-node.
   */
  device: OneOf(DEVICES, { default: 'cpu' }),
  /** The least probability of a name, from 0 to 1. Not for compromise. */
  minScore: Type.Number({ default: 0, minimum: 0, maximum: 1 }),
  /**
   * A field for a list of objects, one for each place where a name is: field, name, value (the number of the text in
   * the list, from 0), start and end (positions in the text) and score (the probability). The list replaces the
   * previous value. Defaults to none.
   */
  detailsField: Type.Optional(Type.String()),
  /** What happens to a field that exists: "overwrite", "append" or "skip". */
  updateMode: OneOf(['overwrite', 'append', 'skip'], { default: 'append' }),
  ...storageParameters,
});

type Params = Static<typeof parameters>;

/**
 * Finds the names of people, places, organizations and others in a text.
 *
 * With the engine opennlp, models of Apache OpenNLP decide: maximum entropy models and perceptrons with the features
 * that OpenNLP has by default, or with others, also those of dictionaries and word clusters in the model, but not those
 * of part-of-speech taggers and custom classes. Models of OpenNLP 1.5 and later are read. The names and their
 * probabilities are those of OpenNLP. The text is split into words by a model, not into sentences.
 *
 * With the engine compromise, no models are needed. It is less exact, and only for English.
 *
 * With the engine onnx, a model such as a fine-tuned BERT labels each piece of a word, in the schemes BIO, BIOES and
 * BILOU. It knows the languages of its training, and needs the package onnxruntime-node. Long texts are computed in
 * windows that overlap. Nothing is downloaded. An ONNX file must contain its weights. The limits and the boundary for
 * uploaded configs are those of LocalEmbed.
 *
 * Each field of models gets the names that were found, each once, in the order of the text. The words of a name are
 * separated by single spaces. A document without a text or without names does not change.
 *
 * The models are read when the run starts. Each pipeline thread holds them in memory.
 */
export class ApplyOpenNLPNameFinders extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'People and places of a text, without models',
      params: { textField: 'text', engine: 'compromise', models: { people: 'person', places: 'location' } },
      documents: [{ id: '1', text: 'Maria Garcia flew from Berlin to Tokyo. Maria Garcia was tired.' }],
      output: [
        {
          id: '1',
          text: 'Maria Garcia flew from Berlin to Tokyo. Maria Garcia was tired.',
          people: 'Maria Garcia',
          places: ['Berlin', 'Tokyo'],
        },
      ],
    },
  ];

  static override *check(params: Params): Generator<ParameterProblem> {
    const { models, tokenizerPath, engine, minScore, detailsField } = params;
    if (models.size === 0) yield { parameter: 'models', message: 'models must name at least one field' };
    for (const field of models.keys()) {
      if (!RESERVED_FIELDS.has(field)) continue;
      yield { parameter: ['models', field], message: `models names ${field}, which is a reserved field` };
    }
    if (detailsField !== undefined && RESERVED_FIELDS.has(detailsField)) {
      yield { parameter: 'detailsField', message: `detailsField names ${detailsField}, which is a reserved field` };
    }
    if (engine === 'opennlp') {
      yield* checkStorageSettings(params as StorageSettings);
      if (tokenizerPath !== undefined) return;
      const hint = 'Set the path of a tokenizer of OpenNLP, such as opennlp-en-ud-ewt-tokens-1.2-2.5.0.bin.';
      yield { parameter: 'tokenizerPath', message: 'The engine opennlp needs tokenizerPath', hint };
      return;
    }
    if (engine === 'onnx') {
      if (params.model === undefined) {
        const hint = 'Set the folder of a model for token classification.';
        yield { parameter: 'model', message: 'The engine onnx needs model', hint };
      }
      yield* checkRuntime('engine', params.device);
      return;
    }
    for (const [field, model] of models) {
      if (entityTypeOf(field, model) !== undefined) continue;
      const message = `The engine compromise does not know what to find for ${field}: ${model}`;
      yield { parameter: ['models', field], message, hint: `Write one of ${ENTITY_TYPES.join(', ')}.` };
    }
    if (minScore > 0) {
      const message = 'minScore has no effect: the engine compromise has no probabilities';
      yield { parameter: 'minScore', severity: 'warning', message, hint: 'Remove it.' };
    }
  }

  /** With other engines, models has no paths. */
  static override *touches({ engine, models }: Params): Generator<TouchedFile> {
    if (engine !== 'opennlp') return;
    for (const [field, path] of models) yield { parameter: ['models', field], access: 'read', path, verb: 'read' };
  }

  #engine: EntityEngine | undefined;

  override async checkAccess(): Promise<void> {
    await this.start();
    await this.stop();
  }

  override async start(): Promise<void> {
    const { models, tokenizerPath = '', engine, s3, azure, gcp } = this.params;
    if (engine === 'compromise') {
      const { CompromiseEngine } = await import('./engines/compromise-engine.ts');
      const types = [...models].map(([field, model]) => [field, entityTypeOf(field, model) as EntityType] as const);
      this.#engine = new CompromiseEngine(new Map(types));
    } else if (engine === 'onnx') {
      const { OnnxEngine } = await import('./engines/onnx-engine.ts');
      const { model: folder = '', dtype, aggregation, threads, device } = this.params;
      this.#engine = await OnnxEngine.open(
        {
          component: 'ApplyOpenNLPNameFinders',
          folder,
          dtype,
          threads,
          device,
          computeMillis: this.context.computeMillis,
        },
        new Map(models),
        aggregation,
      );
    } else {
      const { OpenNlpEngine } = await import('./engines/open-nlp-engine.ts');
      this.#engine = await OpenNlpEngine.open(tokenizerPath, models, { s3, azure, gcp });
    }
  }

  override process(document: Document): void | Promise<void> {
    const texts = document.texts(this.params.textField).map((text) => text ?? '');
    if (texts.every((text) => text === '')) return;
    const found = (this.#engine as EntityEngine).find(texts);
    if (found instanceof Promise) return found.then((names) => this.#write(document, names));
    this.#write(document, found);
  }

  override async stop(): Promise<void> {
    await this.#engine?.close?.();
    this.#engine = undefined;
  }

  #write(document: Document, names: Map<string, Entity[][]>): void {
    const { minScore, detailsField, updateMode } = this.params;
    const details: JsonObject[] = [];
    for (const [field, found] of names) {
      const names = new Set<string>();
      for (const [value, entities] of found.entries()) {
        for (const entity of entities) {
          if (entity.score !== undefined && entity.score < minScore) continue;
          names.add(entity.name);
          if (detailsField !== undefined) details.push(detailsOf(field, value, entity));
        }
      }
      document.update(field, updateMode as UpdateMode, [...names]);
    }
    if (detailsField !== undefined && details.length > 0) document.set(detailsField, details);
  }
}

function detailsOf(field: string, value: number, { name, start, end, score }: Entity): JsonObject {
  return toValue({ field, name, value, start, end, score }) as JsonObject;
}
