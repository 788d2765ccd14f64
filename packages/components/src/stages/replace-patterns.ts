import {
  type Document,
  type DocumentTable,
  messageOf,
  type ParameterProblem,
  requireHeap,
  Stage,
  type StageContext,
  type Static,
  Type,
  UpdateModeParameter,
} from '@headrace/engine';
import {
  compileJavaRegex,
  type JavaRegex,
  type JavaReplacement,
  parseJavaReplacement,
} from '@headrace/languages/java/regex';
import { checkFieldPairs, type FieldPair, fieldPairs } from '../fields/field-pairs.ts';
import { transformColumn, transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  /** The fields to read. */
  source: Type.Array(Type.String()),
  /** The fields for the results, one for each source, or one for all. A source may be its own destination. */
  dest: Type.Array(Type.String()),
  /** The regular expressions. */
  regex: Type.Array(Type.String()),
  /** The replacement. An empty text removes the matches. Required unless replacementField is given. */
  replacement: Type.Optional(Type.String()),
  /**
   * A field whose first value is the replacement, with the same rules. A document without it uses replacement, and does
   * not change without one.
   */
  replacementField: Type.Optional(Type.String()),
  /** Whether ASCII letters match in upper and lower case. */
  ignoreCase: Type.Boolean({ default: false }),
  /** Whether ^ and $ match at the start and end of each line. */
  multiline: Type.Boolean({ default: false }),
  /** Whether . matches line breaks. */
  dotall: Type.Boolean({ default: false }),
  /** Whether the expressions are plain texts. The rules for the replacement do not change. */
  literal: Type.Boolean({ default: false }),
  /**
   * What happens to a destination that exists: "overwrite" replaces its values, "append" adds to them, "skip" keeps
   * them. With one destination for several sources, "overwrite" leaves the values of the last source.
   */
  updateMode: UpdateModeParameter,
});

/** A result that may be longer is measured before it is created. */
const LARGE = 64 * 1024 * 1024;

/**
 * Replaces the matches of regular expressions in the values of fields.
 *
 * The expressions are those of Java. They are applied in order, each to the result of the previous one. Every match is
 * replaced. The result is written even without a match. Numbers and booleans become texts. A list of one value becomes
 * that value. Null and objects do not change. Missing fields and empty lists change nothing.
 *
 * In the replacement, $1 or ${name} is replaced by the match of a group and $0 by the whole match. A backslash makes
 * the next character literal, so a dollar sign is written \$. A group without a match is empty. A group that the
 * expression does not have fails the documents with a match.
 */
export class ReplacePatterns extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Replace runs of white space by one blank',
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
          hint: 'To search for the text literally, set literal: true.',
        };
      }
    }
  }

  readonly #pairs: readonly FieldPair[];
  readonly #patterns: readonly JavaRegex[];
  readonly #fixed: JavaReplacement | undefined;
  /** The current replacement. It is kept for the next document, because the patterns prepare it. */
  #current: JavaReplacement;
  readonly #replace = (text: string): string => {
    let result = text;
    for (const pattern of this.#patterns) {
      if (result.length * this.#current.source.length > LARGE) requireHeap(2 * this.#lengthOf(result, pattern));
      result = pattern.replaceAll(result, this.#current);
    }
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
    const mode = this.params.updateMode;
    for (const { source, dest } of this.#pairs) transformTexts(document, source, dest, mode, this.#replace);
  }

  override processTable(table: DocumentTable): boolean {
    if (this.params.replacementField !== undefined) return false;
    const mode = this.params.updateMode;
    return this.#pairs.every(({ source, dest }) => transformColumn(table, source, dest, mode, this.#replace));
  }

  /** Returns the length of a result; an estimate if the replacement has groups. */
  #lengthOf(text: string, pattern: JavaRegex): number {
    let { length } = text;
    for (let match = pattern.find(text); match !== undefined; ) {
      length += this.#current.source.length;
      match = match.end < text.length ? pattern.find(text, Math.max(match.end, match.index + 1)) : undefined;
    }
    return length;
  }

  /** Sets the replacement of the document, or else the fixed one. Returns false if both are missing. */
  #chooseReplacement(document: Document): boolean {
    const own = document.text(this.params.replacementField as string);
    if (own === undefined) {
      if (this.#fixed === undefined) return false;
      this.#current = this.#fixed;
    } else if (own !== this.#current.source) this.#current = parseJavaReplacement(own);
    return true;
  }
}
