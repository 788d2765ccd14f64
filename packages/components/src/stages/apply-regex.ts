import {
  type Document,
  type DocumentTable,
  mapColumn,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { compileJavaRegex, type JavaRegex, JavaRegexError } from '@headrace/languages/java/regex';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';

const parameters = Type.Object({
  /** The fields to search. */
  source: Type.Array(Type.String()),
  /** The fields for the matches: one for each source, or one for all. */
  dest: Type.Array(Type.String()),
  /** The expression, in the syntax of Java. */
  regex: Type.String(),
  /** What happens to a destination that exists: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
  /** Whether ASCII letters match in upper and lower case. */
  ignoreCase: Type.Boolean({ default: false }),
  /** Whether ^ and $ match at the start and end of each line. */
  multiline: Type.Boolean({ default: false }),
  /** Whether . matches line breaks too. */
  dotall: Type.Boolean({ default: false }),
  /** Whether every character of the expression is literal. */
  literal: Type.Boolean({ default: false }),
});

/**
 * Copies what a regular expression matches in a field to another field.
 *
 * Every match in every value counts: one match makes a text, several make a list. If the expression has a group, the
 * text of the first group is used instead of the whole match; a match without this group adds nothing. A match of no
 * characters is an empty text. Without a match the destination does not change, in any mode. Numbers and booleans are
 * searched as texts, objects as the empty text. Null is skipped.
 *
 * If several sources share one destination, they are searched in order. With the mode "overwrite" the last source with
 * a match wins; "append" collects the matches of all.
 */
export class ApplyRegex extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Every hash tag of a text, without its sign',
      params: { source: ['text'], dest: ['tags'], regex: '#(\\w+)' },
      documents: [
        { id: '1', text: 'At the #sea, in the #sun' },
        { id: '2', text: 'At home' },
      ],
      output: [
        { id: '1', text: 'At the #sea, in the #sun', tags: ['sea', 'sun'] },
        { id: '2', text: 'At home' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    try {
      compileJavaRegex(params.regex, params);
    } catch (error) {
      if (!(error instanceof JavaRegexError)) throw error;
      yield { parameter: 'regex', message: error.message };
    }
  }

  readonly #pairs: readonly FieldPair[];
  readonly #regex: JavaRegex;
  readonly #updateMode: UpdateMode;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#regex = compileJavaRegex(params.regex, params);
    this.#updateMode = params.updateMode;
  }

  override process(document: Document): void {
    for (const { source, dest } of this.#pairs) {
      const value = document.get(source);
      if (value === undefined || (this.#updateMode === 'skip' && document.has(dest))) continue;
      const found = this.#matches(value);
      document.update(dest, this.#updateMode, typeof found === 'string' ? [found] : found);
    }
  }

  override processTable(table: DocumentTable): boolean {
    for (const { source, dest } of this.#pairs) mapColumn(table, source, dest, this.#updateMode, this.#matches);
    return true;
  }

  readonly #matches = (value: Value): string | string[] => {
    const found: string[] = [];
    if (Array.isArray(value)) for (const item of value) this.#search(item, found);
    else this.#search(value, found);
    return found.length === 1 ? (found[0] as string) : found;
  };

  #search(value: Value, found: string[]): void {
    const text = textOf(value);
    if (text !== null) this.#regex.collect(text, this.#regex.groupCount === 0 ? 0 : 1, found);
  }
}
