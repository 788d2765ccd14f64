import {
  copyValue,
  type Document,
  type JsonObject,
  type ParameterProblem,
  Stage,
  type Static,
  Type,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The fields of the children to gather, under the same names. */
  fieldsToCopy: Type.Array(Type.String()),
  /** Whether the children are removed from the document afterwards. */
  dropChildren: Type.Boolean(),
});

/**
 * Copies fields of the children that earlier stages have attached to a document into the document itself.
 *
 * The values keep their types. They follow the existing values of the document, in the order of the children. Lists are
 * joined: the field of the document is one list of all values. If only one child has the field, and the document does
 * not, the value is copied unchanged. Null counts as a value. A child without the field adds nothing.
 *
 * A child without an id cannot become a document: it is skipped, with an error in the log. A document without children
 * does not change.
 */
export class CollapseChildrenDocuments extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Search a book by the names of its chapters',
      params: { fieldsToCopy: ['chapter'], dropChildren: true },
      documents: [
        {
          id: 'b',
          ___children: [
            { id: 'b-1', chapter: 'The Pool of Tears' },
            { id: 'b-2', chapter: 'A Caucus-Race' },
          ],
        },
      ],
      output: [{ id: 'b', chapter: ['The Pool of Tears', 'A Caucus-Race'] }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [i, name] of params.fieldsToCopy.entries()) yield* checkDestination(`fieldsToCopy[${i}]`, name);
  }

  override process(document: Document): void {
    if (!document.has('___children')) return;
    for (const child of document.values('___children')) {
      if (isDocument(child)) this.#gather(document, child);
      else this.context.notices.report('child.omitted', { document: document.id, value: child });
    }
    if (this.params.dropChildren) document.removeChildren();
  }

  #gather(document: Document, child: JsonObject): void {
    for (const name of this.params.fieldsToCopy) {
      const value = child.get(name);
      if (value === undefined) continue;
      if (!document.has(name)) document.set(name, copyValue(value));
      else if (Array.isArray(value)) for (const item of value) document.add(name, copyValue(item));
      else document.add(name, copyValue(value));
    }
  }
}

function isDocument(child: Value): child is JsonObject {
  const id = child instanceof Map ? child.get('id') : undefined;
  return typeof id === 'string' && id !== '';
}
