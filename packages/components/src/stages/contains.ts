import { type Document, type ParameterProblem, Stage, type Static, Type, textOf, type Value } from '@headrace/engine';
import { KeywordMatcher } from '@headrace/text-analysis/keywords';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  contains: Type.Array(Type.String()),
  fields: Type.Array(Type.String()),
  output: Type.String(),
  value: Type.String(),
  ignoreCase: Type.Optional(Type.Boolean({ default: true })),
});

/**
 * Marks a document when one of its fields contains one of some keywords.
 * <p>
 * A keyword is found where no letter stands right before or after it: "sea" in "the sea" and in "sea2", not in
 * "seaside". A phrase is found with exactly the white space that it has. When a keyword is found, the output
 * field is set to the given value, whatever it held; otherwise it stays as it is. Null and objects contain nothing, an
 * empty keyword is found nowhere.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>contains (List&lt;String&gt;, Required) : The keywords and phrases, at least one.</li>
 *   <li>fields (List&lt;String&gt;, Required) : The fields to search. All values are searched, numbers and booleans
 *   as texts. With an empty list no document is marked.</li>
 *   <li>output (String, Required) : The field to set.</li>
 *   <li>value (String, Required) : The text to set it to.</li>
 *   <li>ignoreCase (Boolean, Optional) : Whether upper and lower case are the same. Defaults to true.</li>
 * </ul>
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
    // The table takes milliseconds: too long for each check of a config that is being written.
    this.#keywords = new KeywordMatcher(this.params.contains, this.params.ignoreCase as boolean);
  }

  override process(document: Document): void {
    for (const field of this.params.fields) {
      const value = document.get(field);
      if (value === undefined) continue;
      if (Array.isArray(value) ? value.some((item) => this.#found(item)) : this.#found(value)) {
        document.set(this.params.output, this.params.value);
        return;
      }
    }
  }

  #found(value: Value): boolean {
    const text = textOf(value);
    // The engine has called `start`.
    return text !== null && (this.#keywords as KeywordMatcher).containsWord(text);
  }
}
