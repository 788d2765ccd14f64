import { type Document, Stage, Type } from '@headrace/engine';

const parameters = Type.Object({});

/**
 * Marks a document as skipped: the later stages leave it alone, and the indexer receives it as it is.
 *
 * Meant to be used with conditions, for example to take documents that stand for deletions past the rest of the
 * pipeline. Children that are attached to the document are not marked.
 */
export class SkipDocument extends Stage {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Take the document past all later stages',
      params: {},
      documents: [{ id: '1', operation: 'delete' }],
      output: [{ id: '1', operation: 'delete', ___skipped: true }],
    },
  ];

  override process(document: Document): void {
    document.skip();
  }
}
