import {
  copyValue,
  Document,
  type JsonObject,
  MapOf,
  type ParameterProblem,
  Stage,
  type StageContext,
  type StageResult,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** Whether a document that had children is dropped. A document without children stays. */
  dropParent: Type.Boolean({ default: false }),
  /**
   * Fields of the document that its children receive: the name in the document, then the name in the children. Values
   * keep their types. A list of one value becomes that value; an empty list is not copied. The engine's fields, such as
   * id, may be read but not written. Defaults to none.
   */
  fieldsToCopy: Type.Optional(MapOf(Type.String())),
  /** What happens if a child already has the field: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

/**
 * Turns the children that earlier stages have attached to a document into separate documents, which pass through the
 * later stages before it. A document without children does not change.
 *
 * The children keep their order and their marks: a dropped child stays dropped. A child without an id cannot become a
 * document and is lost, with an error in the log. Children of children stay attached to their parent until a second
 * stage of this kind.
 *
 * Children that DatabaseConnector attaches are numbered from 0 for each document. Its page explains how to give them
 * different ids. Without these, they overwrite one another in an index.
 */
export class EmitNestedChildren extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Index the chapters instead of the book, each with the title of the book',
      params: { dropParent: true, fieldsToCopy: { id: 'book', title: 'book_title' } },
      documents: [{ id: 'b', title: 'Emma', ___children: [{ id: 'b-1', text: 'Emma Woodhouse' }] }],
      output: [
        { id: 'b-1', text: 'Emma Woodhouse', book: 'b', book_title: 'Emma' },
        { id: 'b', title: 'Emma', ___dropped: true },
      ],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    for (const [source, dest] of params.fieldsToCopy ?? []) yield* checkDestination(`fieldsToCopy.${source}`, dest);
  }

  readonly #copies: readonly (readonly [source: string, dest: string])[];
  readonly #updateMode: UpdateMode;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#copies = [...(params.fieldsToCopy ?? [])];
    this.#updateMode = params.updateMode;
  }

  override process(document: Document): StageResult {
    if (!document.has('___children')) return;
    const children: Document[] = [];
    for (const child of document.values('___children')) {
      // The children leave this document, so they need no copy.
      if (hasId(child)) children.push(Document.fromObject(child));
      else this.context.notices.report('child.omitted', { document: document.id, value: child });
    }
    if (children.length === 0) return;
    for (const [source, dest] of this.#copies) {
      const values = document.values(source);
      for (const child of children) child.update(dest, this.#updateMode, values.map(copyValue));
    }
    document.removeChildren();
    if (this.params.dropParent === true) document.drop();
    return children;
  }
}

function hasId(child: Value): child is JsonObject {
  const id = child instanceof Map ? child.get('id') : undefined;
  return typeof id === 'string' && id !== '';
}
