import { type Document, type DocumentTable, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { javaTrim } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';
import { transformColumn, transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  /** The fields to trim, at least one. */
  fields: Type.Array(Type.String()),
  /**
   * True also removes all blanks of Unicode, such as the no-break space and the ideographic space, and characters without
   * width, such as the zero width space and the byte order mark.
   */
  unicode: Type.Boolean({ default: false }),
});

/** Blanks, control characters, and characters without width that are no part of a word. */
const BLANK = '[\\p{White_Space}\\p{Cc}\\u180E\\u200B\\u2060\\uFEFF]';
const START = new RegExp(`^${BLANK}+`, 'u');
const LAST = new RegExp(`${BLANK}$`, 'u');

function unicodeTrim(text: string): string {
  let end = text.length;
  // Not /BLANK+$/, which needs quadratic time for a long run of blanks within a text.
  while (end > 0 && LAST.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(START, '');
}

/**
 * Removes white space and control characters from both ends of the values of some fields.
 *
 * Characters up to U+0020 are removed; other Unicode blanks, such as the no-break space, stay unless unicode is true. Numbers and booleans
 * become texts. A list of one value becomes that value. Null and objects do not change. Missing fields and empty lists
 * change nothing.
 */
export class TrimWhitespace extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Trim a text and a list of texts',
      params: { fields: ['title', 'tags'] },
      documents: [{ id: '1', title: '  A title \n', tags: [' a', 'b '] }],
      output: [{ id: '1', title: 'A title', tags: ['a', 'b'] }],
    },
    {
      description: 'Also trim no-break spaces',
      params: { fields: ['title'], unicode: true },
      documents: [{ id: '1', title: '\u00a0A title\u202f' }],
      output: [{ id: '1', title: 'A title' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fields.length === 0) yield { parameter: 'fields', message: 'fields must name at least one field' };
    for (const [i, name] of params.fields.entries()) yield* checkDestination(`fields[${i}]`, name);
  }

  readonly #trim = this.params.unicode ? unicodeTrim : javaTrim;

  override process(document: Document): void {
    for (const field of this.params.fields) transformTexts(document, field, field, 'overwrite', this.#trim);
  }

  override processTable(table: DocumentTable): boolean {
    return this.params.fields.every((field) => transformColumn(table, field, field, 'overwrite', this.#trim));
  }
}
