import {
  copyValue,
  type Document,
  type DocumentTable,
  messageOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type Static,
  Type,
  textOf,
  type Value,
} from '@headrace/engine';
import { compileJavaRegex, type JavaRegex } from '@headrace/languages/java/regex';
import { javaTrim } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field to split. */
  inputField: Type.String(),
  /** The field for the pieces, which may be the same. */
  outputField: Type.String(),
  /**
   * The text between two values, as a Java regular expression: a dot is \., a vertical bar \|. An empty delimiter
   * splits into characters.
   */
  delimiter: Type.String(),
  /**
   * Whether white space and control characters (up to U+0020) are removed from both ends of each piece. Empty pieces
   * stay.
   */
  trimWhitespace: Type.Boolean(),
});

/** Delimiters that users mean literally, but that have another meaning in a regular expression. */
const MISLEADING: ReadonlySet<string> = new Set(['.', '|', '^', '$', '||']);

/**
 * Splits the texts of a field into several values.
 *
 * The pieces of all values are added to the output field in order. The field is then a list. If it is the input field,
 * the pieces replace its values. Empty pieces at the end of a text are omitted; those at its start and between two
 * delimiters stay. A text without the delimiter is one piece, even if it is empty. A text of only delimiters has no
 * piece. A field that is split in place into no pieces is removed. Numbers and booleans are split as texts, null is
 * omitted, objects stay whole.
 */
export class SplitFieldValues extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Split a list of tags at commas',
      params: { inputField: 'tags', outputField: 'tags', delimiter: ',', trimWhitespace: true },
      documents: [{ id: '1', tags: 'red, green,blue' }],
      output: [{ id: '1', tags: ['red', 'green', 'blue'] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('outputField', params.outputField);
    const hint = `The delimiter is a regular expression. To use it literally, write \\Q${params.delimiter}\\E.`;
    try {
      compileJavaRegex(params.delimiter);
    } catch (error) {
      yield {
        parameter: 'delimiter',
        message: `delimiter is not a regular expression: ${messageOf(error)}`,
        hint,
      };
    }
    if (MISLEADING.has(params.delimiter)) {
      yield {
        parameter: 'delimiter',
        message: `delimiter "${params.delimiter}" does not match the text "${params.delimiter}"`,
        hint,
        severity: 'warning',
      };
    }
  }

  readonly #delimiter: JavaRegex;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#delimiter = compileJavaRegex(params.delimiter);
  }

  override process(document: Document): void {
    const { inputField, outputField } = this.params;
    const value = document.get(inputField);
    if (value === undefined || value === null) return;
    const pieces = this.#pieces(value);
    if (inputField === outputField) document.remove(inputField);
    if (pieces.length === 0) return;
    if (!document.has(outputField)) document.set(outputField, pieces);
    else for (const piece of pieces) document.add(outputField, piece);
  }

  override processTable(table: DocumentTable): boolean {
    const { inputField, outputField } = this.params;
    const values = table.column(inputField);
    if (values === undefined) return true;
    const inPlace = inputField === outputField;
    const present = inPlace ? undefined : table.column(outputField);
    const column: (Value | undefined)[] = new Array(values.length);
    for (let row = 0; row < values.length; row++) {
      const value = values[row];
      const before = present?.[row];
      // Splitting in place moves the field to the end, except in documents where it is null. A table cannot do that.
      if (inPlace && value === null) return false;
      const pieces = value === undefined || value === null ? [] : this.#pieces(value);
      if (pieces.length === 0) column[row] = before;
      else if (before === undefined) column[row] = pieces;
      else column[row] = Array.isArray(before) ? [...before, ...pieces] : [before, ...pieces];
    }
    if (inPlace) table.remove(inputField);
    const sparse = column.includes(undefined);
    if (!sparse || column.some((value) => value !== undefined)) table.set(outputField, column, sparse);
    return true;
  }

  #pieces(value: Value): Value[] {
    return Array.isArray(value) ? value.flatMap((item) => this.#split(item)) : this.#split(value);
  }

  #split(value: Value): Value[] {
    if (value === null) return [];
    if (Array.isArray(value) || value instanceof Map) return [copyValue(value)];
    const pieces = this.#delimiter.split(textOf(value) as string);
    if (this.params.trimWhitespace) for (let i = 0; i < pieces.length; i++) pieces[i] = javaTrim(pieces[i] as string);
    return pieces;
  }
}
