import { clamped, Document, Stage, Type } from '@headrace/engine';

const parameters = Type.Object({
  /** The number of children. A negative number means none. */
  numChildren: Type.Integer({ default: 3, ...clamped({ minimum: 0 }) }),
  /** Whether the document itself is dropped. */
  dropParent: Type.Boolean({ default: false }),
  /**
   * The document fails after this many children, if numChildren is greater. These children have already left the stage.
   * Defaults to no failure.
   */
  failAfter: Type.Optional(Type.Integer()),
  /** The child to drop, counted from 1. Without it no child is dropped. */
  dropChild: Type.Optional(Type.Integer()),
});

/**
 * Emits children that have only an id, to test how a pipeline handles children. Their ids are the id of the document
 * with _child1, _child2 and so on. They pass through the later stages before the document.
 */
export class CreateChildrenStage extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Two children instead of the document',
      params: { numChildren: 2, dropParent: true },
      documents: [{ id: 'p' }],
      output: [{ id: 'p_child1' }, { id: 'p_child2' }, { id: 'p', ___dropped: true }],
    },
  ];

  override process(document: Document): Iterable<Document> {
    if (this.params.dropParent === true) document.drop();
    return this.#children(document.id);
  }

  *#children(parent: string): Generator<Document> {
    const { failAfter, dropChild } = this.params;
    const count = this.params.numChildren;
    for (let made = 0; made < count; made++) {
      if (made === failAfter) throw new Error(`failed after ${failAfter} children, as failAfter says`);
      const child = Document.create(`${parent}_child${made + 1}`);
      if (made + 1 === dropChild) child.drop();
      yield child;
    }
  }
}
