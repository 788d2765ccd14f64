import { clamped, Document, Stage, Type } from '@headrace/engine';

const parameters = Type.Object({
  numChildren: Type.Optional(Type.Integer({ default: 3, ...clamped({ minimum: 0 }) })),
  dropParent: Type.Optional(Type.Boolean({ default: false })),
  failAfter: Type.Optional(Type.Integer()),
  dropChild: Type.Optional(Type.Integer()),
});

/**
 * Emits children with nothing but an id: a help for trying out how a pipeline treats children. Their ids are the
 * id of the document with _child1, _child2 and so on behind it. They go through the later stages before the document.
 * <p>
 * Config Parameters -
 * <ul>
 *   <li>numChildren (Integer, Optional) : How many children; none with a negative number. Defaults to 3.</li>
 *   <li>dropParent (Boolean, Optional) : Whether the document itself is dropped. Defaults to false.</li>
 *   <li>failAfter (Integer, Optional) : Fail the document when this many children are made and one more is to
 *   come: the children before have gone on by then. Without it there is no failure.</li>
 *   <li>dropChild (Integer, Optional) : The child to drop, counted from 1. Without it no child is dropped.</li>
 * </ul>
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
    const count = this.params.numChildren as number;
    for (let made = 0; made < count; made++) {
      if (made === failAfter) throw new Error(`failed after ${failAfter} children, as failAfter says`);
      const child = Document.create(`${parent}_child${made + 1}`);
      if (made + 1 === dropChild) child.drop();
      yield child;
    }
  }
}
