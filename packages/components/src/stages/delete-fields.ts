import { type Document, type DocumentTable, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The fields to remove, at least one. */
  fields: Type.Array(Type.String()),
});

/** Removes fields. Names are literal: a dot does not lead into an object. Missing fields are skipped. */
export class DeleteFields extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Remove two fields',
      params: { fields: ['raw', 'draft'] },
      documents: [{ id: '1', raw: '<p>Text</p>', text: 'Text' }],
      output: [{ id: '1', text: 'Text' }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    if (params.fields.length === 0) yield { parameter: 'fields', message: 'fields must name at least one field' };
    for (const [i, name] of params.fields.entries()) yield* checkDestination(`fields[${i}]`, name);
  }

  override process(document: Document): void {
    for (const field of this.params.fields) document.remove(field);
  }

  override processTable(table: DocumentTable): boolean {
    for (const field of this.params.fields) table.remove(field);
    return true;
  }
}
