import { type Document, type DocumentTable, type ParameterProblem, Stage, type Static, Type } from '@headrace/engine';
import { formatInstant } from '@headrace/languages/java/date';
import { checkDestination } from '../fields/destination.ts';

const parameters = Type.Object({
  /** The field that receives the time. */
  destField: Type.String(),
});

/**
 * Writes the current time to a field, as an ISO instant in UTC such as 2024-05-06T07:08:09.123Z.
 *
 * The previous value of the field is replaced. The fraction has three digits. It is omitted at a whole second.
 */
export class Timestamp extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description:
        'Record when a document passed through the pipeline (the time differs from one document to the next)',
      params: { destField: 'processed_at' },
      documents: [{ id: '1' }],
      output: [{ id: '1', processed_at: '2024-05-06T07:08:09.123Z' }],
      random: true,
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkDestination('destField', params.destField);
  }

  #time = Number.NaN;
  #text = '';

  override process(document: Document): void {
    document.set(this.params.destField, this.#now());
  }

  override processTable(table: DocumentTable): boolean {
    table.fill(this.params.destField, this.#now());
    return true;
  }

  #now(): string {
    const now = Date.now();
    // Hundreds of documents pass in one millisecond and share the text.
    if (now !== this.#time) {
      const milliseconds = now % 1000;
      this.#time = now;
      this.#text = formatInstant((now - milliseconds) / 1000, milliseconds * 1_000_000);
    }
    return this.#text;
  }
}
