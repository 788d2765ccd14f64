import {
  type Document,
  type JsonObject,
  MapOf,
  OneOf,
  type ParameterProblem,
  READS,
  RESERVED_FIELDS,
  Stage,
  type Static,
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
   * location or organization.
   */
  models: MapOf(Type.String(READS), { minProperties: 1 }),
  /** The path of the model of OpenNLP that splits texts into words. The engine compromise does not need it. */
  tokenizerPath: Type.Optional(Type.String(READS)),
  /**
   * What finds the names: opennlp, or compromise, which needs no models and knows rules and words of English. Defaults
   * to opennlp.
   */
  engine: Type.Optional(OneOf(['opennlp', 'compromise'], { default: 'opennlp' })),
  /** The least probability of a name, from 0 to 1. Only for opennlp. Defaults to 0. */
  minScore: Type.Optional(Type.Number({ default: 0, minimum: 0, maximum: 1 })),
  /**
   * A field for a list of objects, one for each place where a name is: field, name, value (the number of the text in
   * the list, from 0), start and end (positions in the text) and score (the probability). The list replaces the
   * previous value. Defaults to none.
   */
  detailsField: Type.Optional(Type.String()),
  /** What happens to a field that exists: "overwrite", "append" or "skip". Defaults to "append". */
  updateMode: Type.Optional(OneOf(['overwrite', 'append', 'skip'], { default: 'append' })),
  ...storageParameters,
});

type Params = Static<typeof parameters>;

/**
 * Finds the names of people, places, organizations and others in a text.
 *
 * With the engine opennlp, models of Apache OpenNLP decide: maximum entropy models and perceptrons with the features
 * that OpenNLP has by default, or with others but those of dictionaries, clusters and part-of-speech taggers. The names
 * and their probabilities are those of OpenNLP. The text is split into words by a model, not into sentences.
 *
 * With the engine compromise, no models are needed. It is less exact, and only for English.
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
    const { models, tokenizerPath, engine, minScore = 0, detailsField } = params;
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

  #engine: EntityEngine | undefined;

  override async reach(): Promise<void> {
    await this.start();
  }

  override async start(): Promise<void> {
    const { models, tokenizerPath = '', engine, s3, azure, gcp } = this.params;
    if (engine === 'compromise') {
      const { CompromiseEngine } = await import('./engines/compromise-engine.ts');
      const types = [...models].map(([field, model]) => [field, entityTypeOf(field, model) as EntityType] as const);
      this.#engine = new CompromiseEngine(new Map(types));
    } else {
      const { OpenNlpEngine } = await import('./engines/open-nlp-engine.ts');
      this.#engine = await OpenNlpEngine.open(tokenizerPath, models, { s3, azure, gcp });
    }
  }

  override process(document: Document): void {
    const { textField, minScore = 0, detailsField, updateMode } = this.params;
    const texts = document.texts(textField).map((text) => text ?? '');
    if (texts.every((text) => text === '')) return;
    const details: JsonObject[] = [];
    for (const [field, found] of (this.#engine as EntityEngine).find(texts)) {
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

  override stop(): void {
    this.#engine = undefined;
  }
}

function detailsOf(field: string, value: number, { name, start, end, score }: Entity): JsonObject {
  return toValue({ field, name, value, start, end, score }) as JsonObject;
}
