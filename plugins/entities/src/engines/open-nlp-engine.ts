import { HeadraceError, messageOf } from 'headrace/engine';
import { type StorageSettings, Storages } from 'headrace/storage';
import { ModelArchive } from '../opennlp/model-archive.ts';
import { NameFinder } from '../opennlp/name-finder.ts';
import { Tokenizer } from '../opennlp/tokenizer.ts';
import type { Entity, EntityEngine } from './entity-engine.ts';

/** The most bytes that the file of a model may have. */
const MAX_BYTES = 2 ** 30;
const MODEL_HINT =
  'Name a .bin file of OpenNLP, which is a zip archive: models has models for names, tokenizerPath a tokenizer. If it is ' +
  'one, it may be damaged: download it again.';

/** Finds names with models of OpenNLP. */
export class OpenNlpEngine implements EntityEngine {
  readonly #tokenizer: Tokenizer;
  readonly #finders: ReadonlyMap<string, NameFinder>;

  private constructor(tokenizer: Tokenizer, finders: ReadonlyMap<string, NameFinder>) {
    this.#tokenizer = tokenizer;
    this.#finders = finders;
  }

  /**
   * Reads the models. Throws `HR_SOURCE_UNREADABLE` for the first file that cannot be read or is not a model.
   * @param models the paths of the models, by field
   */
  static async open(
    tokenizerPath: string,
    models: ReadonlyMap<string, string>,
    settings: StorageSettings,
  ): Promise<OpenNlpEngine> {
    const storages = new Storages(settings);
    const read = async <T>(path: string, create: (archive: ModelArchive) => T): Promise<T> => {
      const content = await storages.readContent(path, MAX_BYTES);
      try {
        return create(await ModelArchive.open(content));
      } catch (error) {
        const message = `Cannot read the model ${path}: ${messageOf(error)}`;
        throw new HeadraceError('HR_SOURCE_UNREADABLE', message, { cause: error, hint: MODEL_HINT });
      }
    };
    try {
      const finders = new Map<string, NameFinder>();
      for (const [field, path] of models) finders.set(field, await read(path, (archive) => new NameFinder(archive)));
      return new OpenNlpEngine(await read(tokenizerPath, (archive) => new Tokenizer(archive)), finders);
    } finally {
      await storages.close();
    }
  }

  find(texts: readonly string[]): Map<string, Entity[][]> {
    const tokenized = texts.map((text) => {
      const spans = this.#tokenizer.tokenize(text);
      return { spans, tokens: spans.map(({ start, end }) => text.slice(start, end)) };
    });
    const found = new Map<string, Entity[][]>();
    for (const [field, finder] of this.#finders) {
      finder.clear();
      const entities = tokenized.map(({ spans, tokens }) =>
        finder.find(tokens).map(({ start, end, score }) => ({
          // A token may be half of a character outside the basic plane.
          name: tokens.slice(start, end).join(' ').toWellFormed(),
          start: spans[start]?.start as number,
          end: spans[end - 1]?.end as number,
          score,
        })),
      );
      found.set(field, entities);
    }
    return found;
  }
}
