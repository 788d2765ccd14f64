import { type Document, type DocumentTable, Stage, Type } from '@headrace/engine';

const parameters = Type.Object({
  /**
   * The share of the documents to drop, from 0.0 for none to 1.0 for all. Each document is drawn separately, so the
   * share is an average.
   */
  percentage: Type.Number({ minimum: 0, maximum: 1, default: 1 }),
});

/** Drops documents: later stages do not see them, and they are not indexed. Conditions usually select the documents. */
export class DropDocument extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Drop every document',
      params: {},
      documents: [{ id: '1', title: 'Draft' }],
      output: [{ id: '1', title: 'Draft', ___dropped: true }],
    },
  ];

  override process(document: Document): void {
    if (Math.random() < this.params.percentage) document.drop();
  }

  override processTable(table: DocumentTable): boolean {
    const percentage = this.params.percentage;
    let count = 0;
    const dropped: (true | undefined)[] = new Array(table.count);
    for (let row = 0; row < dropped.length; row++) {
      if (Math.random() < percentage) {
        dropped[row] = true;
        count++;
      }
    }
    if (count > 0) table.put('___dropped', dropped, count < dropped.length);
    return true;
  }
}
