import { type Document, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { stringHash } from '@headrace/java-text/text';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** Must not be empty, and has no effect: the id is hashed, whatever it says. Write "id". */
  fieldName: Type.String(),
  /** The field for the label; what it held is replaced. */
  dest: Type.String(),
  /** The labels, at least one. Another number of them, or another order, gives documents other labels. */
  buckets: Type.Array(Type.String()),
});

/**
 * Writes one label out of a list, chosen by the id of the document: the same id always gets the same label, and over
 * many documents all labels come about equally often. That divides documents for a test of two variants, for example.
 *
 * The label is found by Java's hash of the id, a 32-bit number (h = 31 * h + unit, over the UTF-16 units of the text):
 * its remainder by the number of labels, without the sign, is the position in the list, counted from 0. So documents
 * keep the labels that they have in an index which Lucille has written. No field but the id is read, in spite of the
 * name of the stage.
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
    const { dest, buckets } = this.params;
    document.set(dest, buckets[Math.abs(stringHash(document.id) % buckets.length)] as string);
  }
}
