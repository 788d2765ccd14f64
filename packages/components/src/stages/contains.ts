import {
  type Column,
  type Document,
  type DocumentTable,
  type ParameterProblem,
  Stage,
  type Static,
  Type,
  textOf,
  updateColumn,
  type Value,
} from '@headrace/engine';
import { KeywordMatcher } from '@headrace/text-analysis/keywords';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The keywords and phrases, at least one. */
  contains: Type.Array(Type.String()),
  /**
   * The fields to search. All values are searched, numbers and booleans as texts. With an empty list no document is
   * marked.
   */
  fields: Type.Array(Type.String()),
  /** The field to set. */
  output: Type.String(),
  /** The text to set it to. */
  value: Type.String(),
  /** Whether letter case is ignored. */
  ignoreCase: Type.Boolean({ default: true }),
});

/**
 * Marks a document if one of its fields contains one of some keywords.
 *
 * A keyword matches if no letter is directly before or after it: "sea" matches in "the sea" and in "sea2", not in
 * "seaside". A phrase matches with exactly its white space. If a keyword matches, the output field is set to the value,
 * and its previous value is replaced. Otherwise it does not change. Null and objects contain nothing. An empty keyword
 * matches nowhere.
 */
export class Contains extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Mark texts about the coast',
      params: { contains: ['sea', 'beach'], fields: ['title', 'text'], output: 'topic', value: 'coast' },
      documents: [
        { id: '1', title: 'By the Sea' },
        { id: '2', title: 'Seasons' },
      ],
      output: [
        { id: '1', title: 'By the Sea', topic: 'coast' },
        { id: '2', title: 'Seasons' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.contains.length === 0) {
      yield { parameter: 'contains', message: 'contains must have at least one keyword' };
    }
    yield* checkDestination('output', params.output);
  }

  #keywords: KeywordMatcher | undefined;

  override start(): void {
    // Building the table takes milliseconds, too long for each check while a user writes a config.
    this.#keywords = new KeywordMatcher(this.params.contains, this.params.ignoreCase);
  }

  override process(document: Document): void {
    for (const field of this.params.fields) {
      if (this.#isFoundIn(document.get(field))) {
        document.set(this.params.output, this.params.value);
        return;
      }
    }
  }

  override processTable(table: DocumentTable): boolean {
    const { fields, output, value } = this.params;
    const columns: Column[] = [];
    for (const field of fields) {
      const column = table.column(field);
      if (column !== undefined) columns.push(column);
    }
    const results = new Array<string | undefined>(table.count).fill(undefined);
    for (let row = 0; row < results.length; row++) {
      if (columns.some((column) => this.#isFoundIn(column[row]))) results[row] = value;
    }
    updateColumn(table, output, 'overwrite', results);
    return true;
  }

  #isFoundIn(value: Value | undefined): boolean {
    if (value === undefined) return false;
    return Array.isArray(value) ? value.some((item) => this.#found(item)) : this.#found(value);
  }

  #found(value: Value): boolean {
    const text = textOf(value);
    // The engine has already called `start`, so the matcher exists.
    return text !== null && (this.#keywords as KeywordMatcher).containsWord(text);
  }
}
