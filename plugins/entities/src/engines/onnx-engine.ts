import { HeadraceError } from 'headrace/engine';
import { type Aggregation, groupNames } from '../tokens/group-names.ts';
import { readLabel } from '../tokens/labels.ts';
import { type ClassifierOptions, TokenClassifier } from '../tokens/token-classifier.ts';
import type { Entity, EntityEngine } from './entity-engine.ts';

/** Finds names with a model that classifies tokens, such as BERT. */
export class OnnxEngine implements EntityEngine {
  readonly #model: TokenClassifier;
  readonly #types: ReadonlyMap<string, string>;
  readonly #aggregation: Aggregation;

  private constructor(model: TokenClassifier, types: ReadonlyMap<string, string>, aggregation: Aggregation) {
    this.#model = model;
    this.#types = types;
    this.#aggregation = aggregation;
  }

  /**
   * Loads a model. Throws `HR_SOURCE_UNREADABLE` if it cannot be read, or does not know a type.
   * @param types the types of names to find, by field, such as PER
   */
  static async open(
    options: ClassifierOptions,
    types: ReadonlyMap<string, string>,
    aggregation: Aggregation,
  ): Promise<OnnxEngine> {
    const model = await TokenClassifier.open(options);
    const known = [...new Set(model.labels.flatMap((label) => readLabel(label).type ?? []))];
    const found = new Map<string, string>();
    for (const [field, wanted] of types) {
      const type = known.find((name) => name.toLowerCase() === wanted.toLowerCase());
      if (type === undefined) {
        await model.close();
        const message = `The model in ${options.folder} does not find ${wanted}, which models.${field} names`;
        throw new HeadraceError('HR_SOURCE_UNREADABLE', message, { hint: `It finds ${known.join(', ')}.` });
      }
      found.set(field, type);
    }
    return new OnnxEngine(model, found, aggregation);
  }

  async find(texts: readonly string[]): Promise<Map<string, Entity[][]>> {
    const classified = await this.#model.classify(texts);
    const names = classified.map((tokens, i) =>
      groupNames(texts[i] as string, tokens, this.#model.labels, this.#aggregation),
    );
    const entities = (type: string) =>
      names.map((found, i) =>
        found.flatMap(({ type: own, start, end, score }) => {
          const name = (texts[i] as string).slice(start, end).replace(/\s+/g, ' ');
          return own === type ? [{ name, start, end, score }] : [];
        }),
      );
    return new Map(Array.from(this.#types, ([field, type]) => [field, entities(type)]));
  }

  close(): Promise<void> {
    return this.#model.close();
  }
}
