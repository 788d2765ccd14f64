import {
  CONNECTS,
  Document,
  MapOf,
  type ParameterProblem,
  type ReportProblem,
  Stage,
  type Static,
  Type,
} from 'headrace/engine';
import { DEFAULT_NAMESPACE, listIds, openPinecone, type PineconeIndex } from './store/pinecone.ts';

const parameters = Type.Object({
  /** The API key. */
  apiKey: Type.String(),
  /** The index, which must exist. */
  index: Type.String(),
  /** The field that marks a document as a delete, as indexer.deletionMarkerField. */
  deletionMarkerField: Type.String(),
  /** The value of the field in a delete, as indexer.deletionMarkerFieldValue. */
  deletionMarkerFieldValue: Type.String(),
  /** The namespaces to search: the keys of this object. Defaults to default. */
  namespaces: Type.Optional(MapOf(Type.Unknown(), { minProperties: 1 })),
  /**
   * The text after the id in the ids of chunks, such as a dash. Without it, the id doc1 also deletes the chunks of
   * doc10.
   */
  addPrefix: Type.String({ default: '' }),
  /** Whether the marked document itself is dropped. */
  dropOriginal: Type.Boolean({ default: false }),
  /** The URL of the server that describes indexes. Defaults to https://api.pinecone.io. */
  controlPlaneUrl: Type.Optional(Type.String(CONNECTS)),
});

/**
 * Deletes all chunks of a document from a serverless index of Pinecone. For a document that is marked as a delete, the
 * stage emits a delete for each vector whose id begins with the id of the document and addPrefix. PineconeIndexer then
 * deletes them. Other documents stay unchanged.
 *
 * An id that is in several namespaces is emitted once, because the indexer deletes it in all of its namespaces. A
 * listing that fails is tried again; if it still fails, the document fails.
 */
export class EmitDocsToDeleteByPrefix extends Stage<typeof parameters> {
  static readonly javaClass = 'com.kmwllc.lucille.pinecone.stage.EmitDocsToDeleteByPrefix';
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Delete an article and its chunks',
      needs: 'An index articles of Pinecone with the vectors mill-1 and mill-2',
      params: {
        apiKey: 'your key',
        index: 'articles',
        deletionMarkerField: 'deleted',
        deletionMarkerFieldValue: 'true',
        addPrefix: '-',
      },
      documents: [{ id: 'mill', deleted: true }, { id: 'weir' }],
      output: [
        { id: 'mill-1', deleted: 'true' },
        { id: 'mill-2', deleted: 'true' },
        { id: 'mill', deleted: true },
        { id: 'weir' },
      ],
    },
  ];

  override readonly maxInFlight = 4;
  #index: PineconeIndex | undefined;

  static override *check({ addPrefix }: Static<typeof parameters>): Generator<ParameterProblem> {
    if (addPrefix !== '') return;
    yield {
      parameter: 'addPrefix',
      severity: 'warning',
      message: 'Without addPrefix, deleting doc1 also deletes the chunks of doc10',
      hint: 'Set addPrefix to the text between the id and the number of a chunk, such as "-".',
    };
  }

  override async checkAccess(_report: ReportProblem, signal: AbortSignal): Promise<void> {
    await (await openPinecone(this.params, signal)).client.close();
  }

  override async start(): Promise<void> {
    this.#index = await openPinecone(this.params);
  }

  override async stop(): Promise<void> {
    await this.#index?.client.close();
  }

  override async process(document: Document): Promise<Iterable<Document> | undefined> {
    const { deletionMarkerField, deletionMarkerFieldValue, addPrefix, dropOriginal } = this.params;
    if (document.text(deletionMarkerField) !== deletionMarkerFieldValue) return undefined;
    const ids = new Set<string>();
    for (const namespace of this.params.namespaces?.keys() ?? [DEFAULT_NAMESPACE]) {
      const index = this.#index as PineconeIndex;
      for await (const id of listIds(index, namespace, document.id + addPrefix)) ids.add(id);
    }
    if (dropOriginal) document.drop();
    // The document itself also deletes its id, unless it is dropped.
    if (!dropOriginal) ids.delete(document.id);
    return [...ids].map((id) => {
      const emitted = Document.create(id);
      emitted.set(deletionMarkerField, deletionMarkerFieldValue);
      return emitted;
    });
  }
}
