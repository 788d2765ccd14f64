import { type Document, type DocumentTable, Stage, Type } from '@headrace/engine';

const parameters = Type.Object({});

/**
 * Marks a document as skipped: later stages ignore it, and the indexer receives it unchanged.
 *
 * Use it with conditions, for example for documents that represent deletions. Attached children are not marked.
 */
export class SkipDocument extends Stage {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Let the document skip all later stages',
      params: {},
      documents: [{ id: '1', operation: 'delete' }],
      output: [{ id: '1', operation: 'delete', ___skipped: true }],
    },
  ];

  override process(document: Document): void {
    document.skip();
  }

  override processTable(table: DocumentTable): boolean {
    table.fill('___skipped', true);
    return true;
  }
}
