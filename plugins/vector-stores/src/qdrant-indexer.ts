import { retriesOf } from 'headrace/delivery';
import {
  CONNECTS,
  type EncodedBatch,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  MapOf,
  type ModuleReference,
  type ParameterProblem,
  type ReportProblem,
  type Static,
  Type,
} from 'headrace/engine';
import { safeUrl, WRITE_ANSWER_MS } from 'headrace/http';
import { commonOptions, ObjectEncoder } from './encoding/object-encoder.ts';
import { uuidOf } from './encoding/uuid.ts';
import { StoreClient, StoreError } from './store/store-client.ts';
import { ignoredByStores, type StoreConnection, storeUrl, writeTo } from './store/store-settings.ts';
import { listBody, type StoreTarget, StoreWriter } from './store/store-writer.ts';

const parameters = Type.Object({
  /** The URL of the server, such as http://localhost:6333. */
  url: Type.String(CONNECTS),
  /** The API key. */
  apiKey: Type.Optional(Type.String()),
  /** The collection, which must exist. */
  collection: Type.String(),
  /** The field with the vector. Use either vectorField or vectors. */
  vectorField: Type.Optional(Type.String()),
  /** The fields with the vectors of a collection with named vectors: vectors { title: title_embedding }. */
  vectors: Type.Optional(MapOf(Type.String())),
  /** The payload field for the id of the document. */
  idDestinationName: Type.String({ default: 'id_original' }),
});

type Params = Static<typeof parameters>;

/**
 * Writes documents to a collection of Qdrant.
 *
 *     indexer { type: "Qdrant", batchSize: 200 }
 *     qdrant { url: "http://localhost:6333", collection: articles, vectorField: embedding }
 *
 * The id of a point is a UUID that is computed from the id of the document: MD5, version 3. All fields but the id and
 * the vectors become the payload; indexer.whitelist and indexer.blacklist select others. indexer.idOverrideField names
 * the field with another id. A document without its vectors fails.
 *
 * If Qdrant refuses a request because of one point, this document fails alone. Requests that failed temporarily are
 * sent again, up to ten times; indexer.maxRetries and related settings change this. If a batch has several versions of
 * a document, the last one is sent.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * point with its id is deleted.
 */
export class QdrantIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'qdrant';
  static readonly type = 'Qdrant';
  static readonly javaClass = null;
  override readonly deletesOldChildren = true;
  #connection: StoreConnection | undefined;

  static override *check(params: Params, settings: IndexerSettings): Generator<ParameterProblem> {
    const { url, apiKey, vectorField, vectors } = params;
    if (!/^https?:\/\//i.test(url) || storeUrl(url) === undefined) {
      yield { parameter: 'url', message: `${url} is not an http or https URL`, hint: 'Write http://localhost:6333.' };
    }
    if (apiKey?.trim() === '') yield { parameter: 'apiKey', message: 'apiKey is empty', hint: 'Remove it.' };
    if ((vectorField === undefined) === (vectors === undefined)) {
      yield {
        parameter: 'vectorField',
        message: vectors === undefined ? 'vectorField is missing' : 'vectorField and vectors are both set',
        hint: 'Set vectorField, or vectors for a collection with named vectors.',
      };
    }
    if (vectors?.size === 0) yield { parameter: 'vectors', message: 'vectors is empty', hint: 'Name a vector.' };
    yield* ignoredByStores(settings, 'QdrantIndexer');
  }

  override encoder(): ModuleReference {
    const { vectorField, vectors, idDestinationName } = this.params;
    return ObjectEncoder.reference({
      ...commonOptions(this.context.settings),
      fields: 'payload',
      start: '',
      idName: idDestinationName,
      vector: vectorField ?? Object.fromEntries(vectors ?? []),
      vectorRequired: true,
    });
  }

  override async checkAccess(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const client = await this.#open();
    try {
      await client.read(this.#collection, signal);
    } catch (error) {
      if (!(error instanceof StoreError) || error.status !== 404) throw error;
      report({ parameter: 'collection', ...this.#missing });
    } finally {
      await client.close();
    }
  }

  override async connect(): Promise<void> {
    const client = await this.#open();
    const points = `${this.#collection}/points`;
    try {
      await client.read(this.#collection);
    } catch (error) {
      await client.close();
      if (!(error instanceof StoreError) || error.status !== 404) throw error;
      throw new StoreError(404, this.#missing.message, { hint: this.#missing.hint });
    }
    const target: StoreTarget = {
      upload: (some) => client.send('PUT', `${points}?wait=true`, listBody('{"points":[', some)),
      remove: (ids) =>
        client.send('POST', `${points}/delete?wait=true`, JSON.stringify({ points: ids.map((id) => uuidOf(id)) })),
      removeChildren: (families, field) => {
        const should = families.map(({ parent, children }) => ({
          must: [{ key: field, match: { value: parent } }],
          must_not: [{ has_id: children.map((id) => uuidOf(id)) }],
        }));
        return client.send('POST', `${points}/delete?wait=true`, JSON.stringify({ filter: { should } }));
      },
    };
    const retries = retriesOf(this.context, safeUrl(this.params.url));
    const { childrenField } = this.context.settings;
    this.#connection = { client, writer: new StoreWriter([target], retries, { childrenField }) };
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    return writeTo(this.#connection, batch, signal);
  }

  override async close(): Promise<void> {
    await this.#connection?.client.close();
  }

  get #missing(): { readonly message: string; readonly hint: string } {
    const message = `Qdrant has no collection ${this.params.collection}`;
    return { message, hint: 'Create it, with the size of the vectors, or correct the parameter collection.' };
  }

  get #collection(): string {
    return `${storeUrl(this.params.url)}/collections/${encodeURIComponent(this.params.collection)}`;
  }

  #open(): Promise<StoreClient> {
    const { apiKey } = this.params;
    const headers: Record<string, string> = apiKey === undefined ? {} : { 'api-key': apiKey.trim() };
    return StoreClient.open('Qdrant', { headers, answerTimeout: WRITE_ANSWER_MS });
  }
}
