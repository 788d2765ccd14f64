import { type Document, type DocumentTable, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { stringHash } from '@headrace/languages/java/text';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** Must not be empty, and has no effect: the id is always hashed. Write "id". */
  fieldName: Type.String(),
  /** The field for the label. The previous value is replaced. */
  dest: Type.String(),
  /** The labels, at least one. Changing their number or order changes the labels of documents. */
  buckets: Type.Array(Type.String()),
});

/**
 * Writes one label of a list, selected by the id of the document. The same id always gets the same label, and all
 * labels are about equally frequent. This divides documents for a test of two variants, for example.
 *
 * The label is computed from Java's hash of the id, a 32-bit number (h = 31 * h + unit, over the UTF-16 units of the
 * text). Its remainder by the number of labels, without the sign, is the position in the list, from 0. So documents
 * keep their labels in an index that Lucille has written. Despite the name of the stage, only the id is read.
 */
export class HashFieldValueToBucket extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Divide documents between two variants',
      params: { fieldName: 'id', dest: 'variant', buckets: ['A', 'B'] },
      documents: [{ id: 'k1' }, { id: 'k2' }],
      output: [
        { id: 'k1', variant: 'A' },
        { id: 'k2', variant: 'B' },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    const { fieldName, dest, buckets } = params;
    if (fieldName === '') yield { parameter: 'fieldName', message: 'fieldName must not be empty' };
    else if (fieldName !== 'id') {
      yield {
        parameter: 'fieldName',
        severity: 'warning',
        message: `The field ${fieldName} is not read: the label follows from the id of the document`,
        hint: 'Write fieldName: "id".',
      };
    }
    yield* checkDestination('dest', dest);
    if (buckets.length === 0) yield { parameter: 'buckets', message: 'buckets must have at least one label' };
  }

  override process(document: Document): void {
    const { dest } = this.params;
    document.set(dest, this.#bucket(document.id));
  }

  override processTable(table: DocumentTable): boolean {
    table.set(
      this.params.dest,
      table.ids.map((id) => this.#bucket(id)),
      false,
    );
    return true;
  }

  #bucket(id: string): string {
    const { buckets } = this.params;
    return buckets[Math.abs(stringHash(id) % buckets.length)] as string;
  }
}
