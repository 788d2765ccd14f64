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
  dropParent: Type.Optional(Type.Boolean({ default: false })),
  fieldsToCopy: Type.Optional(MapOf(Type.String())),
  updateMode: UpdateModeParameter,
});

/**
 * Turns the children that earlier stages have attached to a document into documents of their own, which go through
 * the later stages before it does. A document without children is left alone.
 * <p>
 * The children keep their order and their marks: a dropped one stays dropped. A child without an id, which can be no
 * document, is lost with an error in the log. Children of children stay attached to their parent until a second stage of
 * this kind.
 * <p>
 * Children that DatabaseConnector attaches are numbered anew for every document: its page says how they get ids that differ,
 * without which they overwrite one another in an index.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>dropParent (Boolean, Optional) : Whether a document that had children is dropped. One without stays.
 *   Defaults to false.</li>
 *   <li>fieldsToCopy (Map&lt;String, String&gt;, Optional) : Fields of the document that its children receive: the name
 *   in the document, then the name in the children. Values keep their types; a list of one value arrives as that value, an
 *   empty list not at all. The engine's own fields may be read, such as id, but not written. Defaults to none.</li>
 *   <li>updateMode (String, Optional) : What happens when a child has the field already: "overwrite", "append" or
 *   "skip". Defaults to "overwrite".</li>
 * </ul>
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
    this.#updateMode = params.updateMode as UpdateMode;
  }

  override process(document: Document): StageResult {
    if (!document.has('___children')) return;
    const children: Document[] = [];
    for (const child of document.values('___children')) {
      // Not copied: this document gives them away.
      if (hasId(child)) children.push(Document.fromObject(child));
      else this.context.log.error(`A child of the document ${document.id} has no id and is lost`);
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
