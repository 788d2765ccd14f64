import { NO_ANSWER, type Reply, retriesOf } from 'headrace/delivery';
import {
  CONNECTS,
  type EncodedBatch,
  type Family,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  MapOf,
  type ModuleReference,
  OneOf,
  type ParameterProblem,
  parseJson,
  type ReportProblem,
  type Static,
  Type,
} from 'headrace/engine';
import { commonOptions } from './encoding/object-encoder.ts';
import { PineconeEncoder } from './encoding/pinecone-encoder.ts';
import { DEFAULT_NAMESPACE, listIds, openPinecone, type PineconeIndex } from './store/pinecone.ts';
import { ignoredByStores, type StoreConnection, writeTo } from './store/store-settings.ts';
import { forEach, listBody, type StoreTarget, StoreWriter } from './store/store-writer.ts';

const parameters = Type.Object({
  /** The API key. */
  apiKey: Type.String(),
  /** The index, which must exist. */
  index: Type.String(),
  /** The field with the vector for each namespace: namespaces { titles: title_embedding }. */
  namespaces: Type.Optional(MapOf(Type.String(), { minProperties: 1 })),
  /** The field with the vector for the namespace default. Required unless namespaces is given. */
  defaultEmbeddingField: Type.Optional(Type.String()),
  /** The fields to send as metadata. */
  metadataFields: Type.Array(Type.String(), { default: [] }),
  /** upsert writes vectors with metadata. update changes only the values of existing vectors. */
  mode: Type.String({ default: 'upsert' }),
  /** How metadata are written: text as in Lucille, or native, which keeps numbers, booleans and lists of texts. */
  metadataTypes: OneOf(['text', 'native'], { default: 'text' }),
  /** The URL of the server that describes indexes. Defaults to https://api.pinecone.io. */
  controlPlaneUrl: Type.Optional(Type.String(CONNECTS)),
});

type Params = Static<typeof parameters>;

/** The most vectors in one request. */
const MAX_VECTORS = 1000;
/** Pinecone refuses requests of more than 2 MB. */
const MAX_BYTES = 2_000_000;

/**
 * Writes the vectors of documents to an index of Pinecone.
 *
 *     indexer { type: "Pinecone", batchSize: 100 }
 *     pinecone { apiKey: ${PINECONE_API_KEY}, index: articles, defaultEmbeddingField: embedding, metadataFields: [title] }
 *
 * A document is written to each namespace, with the vector of its field there. Without namespaces, the namespace is
 * default. A document without its vector fails. indexer.idOverrideField names the field with another id.
 *
 * If Pinecone refuses a request because of one vector, this document fails alone. Requests that failed temporarily are
 * sent again, up to ten times; indexer.maxRetries and related settings change this. Requests are cut at 2 MB. If a
 * batch has several versions of a document, the last one is sent.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * vector with its id is deleted in each namespace. EmitDocsToDeleteByPrefix deletes all chunks of a document.
 */
export class PineconeIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'pinecone';
  static readonly type = 'Pinecone';
  static readonly javaClass = 'com.kmwllc.lucille.pinecone.indexer.PineconeIndexer';
  override readonly deletesOldChildren = true;
  #connection: StoreConnection | undefined;

  static override *check(params: Params, settings: IndexerSettings): Generator<ParameterProblem> {
    const { apiKey, index, namespaces, defaultEmbeddingField, mode } = params;
    if (apiKey.trim() === '') yield { parameter: 'apiKey', message: 'apiKey is empty' };
    if (index === '') yield { parameter: 'index', message: 'index must not be empty' };
    if (namespaces === undefined && defaultEmbeddingField === undefined) {
      yield {
        parameter: 'defaultEmbeddingField',
        message: 'Neither namespaces nor defaultEmbeddingField names a field with the vector',
        hint: 'Set defaultEmbeddingField, or namespaces { name: field }.',
      };
    }
    if (!/^(upsert|update)$/i.test(mode)) {
      yield { parameter: 'mode', message: `mode must be upsert or update, was ${mode}` };
    }
    const { batchSize, batchByteSize } = settings;
    if ((batchSize ?? (batchByteSize === undefined ? 0 : Number.POSITIVE_INFINITY)) > MAX_VECTORS) {
      yield {
        block: 'indexer',
        parameter: batchSize === undefined ? 'batchByteSize' : 'batchSize',
        message: `A request to Pinecone has at most ${MAX_VECTORS} vectors`,
        hint: `Set indexer.batchSize to at most ${MAX_VECTORS}.`,
      };
    }
    const { childrenField } = settings;
    if (childrenField !== undefined && params.metadataFields?.includes(childrenField) !== true) {
      yield {
        block: 'indexer',
        parameter: 'childrenField',
        message: `indexer.childrenField is ${childrenField}, which is not sent as metadata`,
        hint: `Add ${childrenField} to pinecone.metadataFields.`,
      };
    }
    yield* ignoredByStores(settings, 'PineconeIndexer');
  }

  override encoder(): ModuleReference {
    const { metadataFields, metadataTypes } = this.params;
    return PineconeEncoder.reference({
      ...commonOptions(this.context.settings),
      vectorFields: [...this.#namespaces.values()],
      metadataFields,
      nativeMetadata: metadataTypes === 'native',
    });
  }

  override async checkAccess(_report: ReportProblem, signal: AbortSignal): Promise<void> {
    const { client } = await openPinecone(this.params, signal);
    await client.close();
  }

  override async connect(): Promise<void> {
    const index = await openPinecone(this.params);
    const { childrenField } = this.context.settings;
    const update = this.params.mode?.toLowerCase() === 'update';
    const targets = [...this.#namespaces.keys()].map((namespace) => targetOf(index, namespace, update));
    const retries = retriesOf(this.context, `Pinecone index ${this.params.index}`);
    this.#connection = {
      client: index.client,
      writer: new StoreWriter(targets, retries, { maxBytes: MAX_BYTES, childrenField }),
    };
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    return writeTo(this.#connection, batch, signal);
  }

  override async close(): Promise<void> {
    await this.#connection?.client.close();
  }

  /** The fields with the vectors, by namespace. */
  get #namespaces(): ReadonlyMap<string, string> {
    const { namespaces, defaultEmbeddingField = '' } = this.params;
    return namespaces ?? new Map([[DEFAULT_NAMESPACE, defaultEmbeddingField]]);
  }
}

function targetOf({ client, url }: PineconeIndex, namespace: string, update: boolean): StoreTarget {
  const name = JSON.stringify(namespace);
  const upsert = (vectors: readonly Uint8Array[]) =>
    client.send('POST', `${url}/vectors/upsert`, listBody(`{"namespace":${name},"vectors":[`, vectors), ({ body }) =>
      readCount(body, vectors.length),
    );
  const updateAll = (vectors: readonly Uint8Array[]) =>
    forEach(
      vectors.map((vector) => Buffer.from(vector).toString()),
      (vector) => {
        const { id, values } = JSON.parse(vector) as { id: string; values: number[] };
        return client.send('POST', `${url}/vectors/update`, JSON.stringify({ id, values, namespace }));
      },
    );
  const remove = (ids: readonly string[]) =>
    client.send('POST', `${url}/vectors/delete`, JSON.stringify({ ids, namespace }));
  return {
    upload: update ? updateAll : upsert,
    remove,
    removeChildren: (families, field) =>
      client.reply(async () => {
        const old: string[] = [];
        for (const family of families) old.push(...(await oldChildren({ client, url }, namespace, field, family)));
        return old.length === 0 ? { items: new Map() } : remove(old);
      }),
  };
}

/** The most ids in a request for vectors: they are in its URL. */
const MAX_FETCHED = 50;

/**
 * Returns the ids of the vectors that have the parent in their metadata, but are not in its family. Pinecone cannot
 * exclude ids from a delete, so the vectors whose id begins with the id of the parent are listed.
 */
async function oldChildren(
  index: PineconeIndex,
  namespace: string,
  field: string,
  { parent, children }: Family,
): Promise<string[]> {
  const kept = new Set(children);
  const others: string[] = [];
  for await (const id of listIds(index, namespace, parent)) if (!kept.has(id)) others.push(id);
  const old: string[] = [];
  for (let from = 0; from < others.length; from += MAX_FETCHED) {
    const ids = others.slice(from, from + MAX_FETCHED);
    const query = new URLSearchParams([['namespace', namespace], ...ids.map((id) => ['ids', id])]);
    const { vectors = {} } = (await index.client.read(`${index.url}/vectors/fetch?${query}`)) as Fetched;
    old.push(...ids.filter((id) => vectors[id]?.metadata?.[field] === parent));
  }
  return old;
}

interface Fetched {
  readonly vectors?: Readonly<Record<string, { readonly metadata?: Readonly<Record<string, unknown>> }>>;
}

function readCount(body: Buffer, count: number): Reply {
  const { upsertedCount } = parseJson(body.toString()) as { upsertedCount?: number };
  if (upsertedCount === count) return { items: new Map() };
  const message = `Pinecone wrote ${upsertedCount} of ${count} vectors, and did not report which ones`;
  return { refused: { status: NO_ANSWER, message } };
}
