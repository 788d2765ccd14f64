import { Connector, clamped, type ParameterProblem, type Publisher, type Static, Type } from '@headrace/engine';
import { requirePublisher } from '../publishing/require-publisher.ts';
import { SequenceDecoder, type SequencePosition } from './sequence-decoder.ts';

const parameters = Type.Object({
  /** How many documents to publish. A negative number means none. */
  numDocs: Type.Integer(clamped({ minimum: 0 })),
  /** The id of the first document. */
  startWith: Type.Integer({ default: 0 }),
});

/** The number of documents in one chunk. */
const PIECE_DOCUMENTS = 2000;

/** Publishes documents that have only an id, numbered from a start: to test and to measure pipelines. */
export class SequenceConnector extends Connector<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly needsPipeline = true;

  static override *check({ numDocs, startWith }: Static<typeof parameters>): Generator<ParameterProblem> {
    if (Number.isSafeInteger(startWith + Math.max(numDocs, 0))) return;
    yield { parameter: 'numDocs', message: 'the last id would be greater than 9007199254740991' };
  }

  override async execute(publisher: Publisher | undefined): Promise<void> {
    const { numDocs, startWith } = this.params;
    const { name, docIdPrefix } = this.context;
    const target = requirePublisher(publisher, name);
    const decoder = SequenceDecoder.reference({ docIdPrefix });
    for (let done = 0; done < numDocs && !target.signal.aborted; done += PIECE_DOCUMENTS) {
      const position: SequencePosition = {
        first: startWith + done,
        count: Math.min(PIECE_DOCUMENTS, numDocs - done),
      };
      // The position contains the numbers: there are no bytes to decode.
      await target.publishChunk({ bytes: new Uint8Array(0), decoder, position, documents: position.count });
    }
  }
}
