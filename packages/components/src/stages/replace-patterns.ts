import {
  type Document,
  messageOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
} from '@headrace/engine';
import {
  compileJavaRegex,
  type JavaRegex,
  type JavaReplacement,
  parseJavaReplacement,
} from '@headrace/java-text/regex';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  source: Type.Array(Type.String()),
  dest: Type.Array(Type.String()),
  regex: Type.Array(Type.String()),
  replacement: Type.Optional(Type.String()),
  replacementField: Type.Optional(Type.String()),
  ignoreCase: Type.Optional(Type.Boolean({ default: false })),
  multiline: Type.Optional(Type.Boolean({ default: false })),
  dotall: Type.Optional(Type.Boolean({ default: false })),
  literal: Type.Optional(Type.Boolean({ default: false })),
  updateMode: UpdateModeParameter,
});

/**
 * Replaces what matches regular expressions in the values of fields.
 * <p>
 * The expressions are those of Java, applied one after the other, each to the result of the one before. Every match is
 * replaced. The result is written even when nothing matched. Numbers and booleans become texts, a list of one value becomes
 * that value; null and objects go through as they are. Missing fields and empty lists change nothing.
 * <p>
 * In the replacement <code>$1</code> or <code>${name}</code> stands for what a group matched and <code>$0</code> for the
 * whole match; a backslash makes the next character literal, so a dollar sign is written <code>\$</code>. A
 * group that took no part in a match is empty. A group that the expression does not have fails the documents in which it
 * matches.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>source (List&lt;String&gt;, Required) : The fields to read.</li>
 *   <li>dest (List&lt;String&gt;, Required) : The fields for the results, one for each source, or one for all. A source may
 *   be its own destination.</li>
 *   <li>regex (List&lt;String&gt;, Required) : The regular expressions.</li>
 *   <li>replacement (String, Optional) : The replacement; an empty one removes the matches. Required unless
 *   replacementField is given.</li>
 *   <li>replacementField (String, Optional) : A field whose first value is the replacement, under the same rules. A
 *   document without it takes the replacement above, and is left alone when there is none.</li>
 *   <li>ignoreCase (Boolean, Optional) : Whether ASCII letters match in upper and lower case. Defaults to false.</li>
 *   <li>multiline (Boolean, Optional) : Whether <code>^</code> and <code>$</code> match at the start and end of each
 *   line. Defaults to false.</li>
 *   <li>dotall (Boolean, Optional) : Whether <code>.</code> matches line breaks. Defaults to false.</li>
 *   <li>literal (Boolean, Optional) : Whether the expressions are plain texts. The rules for the replacement stay.
 *   Defaults to false.</li>
 *   <li>updateMode (String, Optional) : What happens to a destination that exists: "overwrite" replaces its values,
 *   "append" adds to them, "skip" keeps them. With one destination for several sources, "overwrite" leaves the values
 *   of the last source. Defaults to "overwrite".</li>
 * </ul>
 */
export class ReplacePatterns extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Make runs of white space one blank',
      params: { source: ['text'], dest: ['text'], regex: ['\\s+'], replacement: ' ' },
      documents: [{ id: '1', text: 'some  text\nof\ttwo lines' }],
      output: [{ id: '1', text: 'some text of two lines' }],
    },
    {
      description: 'Turn a name around, with groups',
      params: { source: ['name'], dest: ['sort_name'], regex: ['^(\\w+) (\\w+)$'], replacement: '$2, $1' },
      documents: [{ id: '1', name: 'Ada Lovelace' }],
      output: [{ id: '1', name: 'Ada Lovelace', sort_name: 'Lovelace, Ada' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkFieldPairs(params);
    if (params.replacement === undefined && params.replacementField === undefined) {
      yield { parameter: 'replacement', message: 'Either replacement or replacementField must be given' };
    }
    for (const [i, pattern] of params.regex.entries()) {
      try {
        compileJavaRegex(pattern, params);
      } catch (error) {
        yield {
          parameter: `regex[${i}]`,
          message: `regex[${i}] is not a regular expression: ${messageOf(error)}`,
          hint: 'To look for a text as it stands set literal: true.',
        };
      }
    }
  }

  readonly #pairs: readonly FieldPair[];
  readonly #patterns: readonly JavaRegex[];
  readonly #fixed: JavaReplacement | undefined;
  /** The replacement in use; kept from one document to the next, for the patterns prepare themselves for it. */
  #current: JavaReplacement;
  readonly #replace = (text: string): string => {
    let result = text;
    for (const pattern of this.#patterns) result = pattern.replaceAll(result, this.#current);
    return result;
  };

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#pairs = fieldPairs(params.source, params.dest);
    this.#patterns = params.regex.map((pattern) => compileJavaRegex(pattern, params));
    this.#fixed = params.replacement === undefined ? undefined : parseJavaReplacement(params.replacement);
    this.#current = this.#fixed ?? parseJavaReplacement('');
  }

  override process(document: Document): void {
    if (this.params.replacementField !== undefined && !this.#chooseReplacement(document)) return;
    const mode = this.params.updateMode as UpdateMode;
    for (const { source, dest } of this.#pairs) transformTexts(document, source, dest, mode, this.#replace);
  }

  /** Takes the document's own replacement, or the fixed one; false when there is neither. */
  #chooseReplacement(document: Document): boolean {
    const own = document.text(this.params.replacementField as string);
    if (own === undefined) {
      if (this.#fixed === undefined) return false;
      this.#current = this.#fixed;
    } else if (own !== this.#current.source) this.#current = parseJavaReplacement(own);
    return true;
  }
}
