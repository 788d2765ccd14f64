import { type Document, type DocumentTable, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { javaTrim } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';
import { transformColumn, transformTexts } from '../fields/transform-texts.ts';

const parameters = Type.Object({
  /** The fields to trim, at least one. */
  fields: Type.Array(Type.String()),
});

/**
 * Removes white space and control characters from both ends of the values of some fields.
 *
 * Characters up to U+0020 are removed; other Unicode blanks, such as the no-break space, stay. Numbers and booleans
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
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fields.length === 0) yield { parameter: 'fields', message: 'fields must name at least one field' };
    for (const [i, name] of params.fields.entries()) yield* checkDestination(`fields[${i}]`, name);
  }

  override process(document: Document): void {
    for (const field of this.params.fields) transformTexts(document, field, field, 'overwrite', javaTrim);
  }

  override processTable(table: DocumentTable): boolean {
    return this.params.fields.every((field) => transformColumn(table, field, field, 'overwrite', javaTrim));
  }
}
