import { type DeliveryFailure, NO_ANSWER, type Reply, retriesOf } from 'headrace/delivery';
import {
  CONNECTS,
  type EncodedBatch,
  type Family,
  Indexer,
  type IndexerSettings,
  type IndexFailure,
  type ModuleReference,
  OneOf,
  type ParameterProblem,
  parseJson,
  type ReportProblem,
  type Static,
  Type,
} from 'headrace/engine';
import { type HttpResponse, safeUrl, WRITE_ANSWER_MS } from 'headrace/http';
import { commonOptions, ObjectEncoder } from './encoding/object-encoder.ts';
import { uuidOf } from './encoding/uuid.ts';
import { StoreClient, StoreError } from './store/store-client.ts';
import { ignoredByStores, type StoreConnection, storeUrl, writeTo } from './store/store-settings.ts';
import { firstRefusal, forEach, listBody, type StoreTarget, StoreWriter } from './store/store-writer.ts';

/** The status of an object that Weaviate refused: the request itself succeeded. */
const REFUSED = 422;

const parameters = Type.Object({
  /**
   * The server: a host name, which is reached by https, or a URL such as http://localhost:8080.
   */
  host: Type.String(CONNECTS),
  /** The API key. A server that allows anonymous access needs none. */
  apiKey: Type.Optional(Type.String()),
  /** The collection, which must exist. */
  className: Type.String({ default: 'Document' }),
  /** The property for the id of the document. */
  idDestinationName: Type.String({ default: 'id_original' }),
  /**
   * The field with the vector, which is not sent as a property. Documents without the field are sent without a vector.
   * Without this parameter, Weaviate computes vectors if its collection has a vectorizer.
   */
  vectorField: Type.Optional(Type.String()),
  /** How many replicas must accept a write: ONE, QUORUM or ALL. */
  consistencyLevel: OneOf(['ONE', 'QUORUM', 'ALL'], { default: 'ALL' }),
});

type Params = Static<typeof parameters>;

/**
 * Writes documents to a collection of Weaviate.
 *
 *     indexer { type: "Weaviate", batchSize: 200 }
 *     weaviate { host: "http://localhost:8080", className: Article, vectorField: embedding }
 *
 * The UUID of an object is computed from the id of the document, as Lucille does it: MD5, version 3. All fields but the
 * id and the vector become properties; indexer.whitelist and indexer.blacklist select others. indexer.idOverrideField
 * names the field with another id.
 *
 * An object that Weaviate refuses fails alone. Requests that failed temporarily are sent again, up to ten times;
 * indexer.maxRetries and related settings change this. If a batch has several versions of a document, the last one is
 * sent.
 *
 * Deleting: if the field indexer.deletionMarkerField of a document has the value indexer.deletionMarkerFieldValue, the
 * object with its id is deleted.
 */
export class WeaviateIndexer extends Indexer<typeof parameters> {
  static override readonly parameters = parameters;
  static override readonly block = 'weaviate';
  static readonly type = 'Weaviate';
  static readonly javaClass = 'com.kmwllc.lucille.weaviate.indexer.WeaviateIndexer';
  override readonly deletesOldChildren = true;
  #connection: StoreConnection | undefined;

  static override *check({ host, apiKey, className }: Params, settings: IndexerSettings): Generator<ParameterProblem> {
    if (storeUrl(host) === undefined) {
      yield { parameter: 'host', message: `${host} is not a host name or an http or https URL` };
    }
    if (apiKey?.trim() === '') yield { parameter: 'apiKey', message: 'apiKey is empty', hint: 'Remove it.' };
    if (className === '') yield { parameter: 'className', message: 'className must not be empty' };
    const { childrenField } = settings;
    if (childrenField !== undefined && !/^[a-z_]\w*$/i.test(childrenField)) {
      const message = `${childrenField} cannot be the name of a property of Weaviate`;
      yield { block: 'indexer', parameter: 'childrenField', message };
    }
    yield* ignoredByStores(settings, 'WeaviateIndexer');
  }

  override encoder(): ModuleReference {
    const { className, idDestinationName, vectorField } = this.params;
    return ObjectEncoder.reference({
      ...commonOptions(this.context.settings),
      fields: 'properties',
      start: `"class":${JSON.stringify(className)},`,
      idName: idDestinationName,
      vector: vectorField,
      vectorRequired: false,
    });
  }

  override async checkAccess(report: ReportProblem, signal: AbortSignal): Promise<void> {
    const client = await this.#open();
    try {
      await this.#requireClass(client, signal);
    } catch (error) {
      if (!(error instanceof StoreError) || error.status !== 404) throw error;
      report({
        parameter: 'className',
        message: error.message,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      });
    } finally {
      await client.close();
    }
  }

  override async connect(): Promise<void> {
    const client = await this.#open();
    try {
      await this.#requireClass(client);
    } catch (error) {
      await client.close();
      throw error;
    }
    const { className, consistencyLevel } = this.params;
    const url = this.#url;
    const consistency = `consistency_level=${consistencyLevel}`;
    const objects = `${url}/v1/objects/${encodeURIComponent(className)}`;
    const removeOne = async (uuid: string): Promise<Reply> => {
      const reply = await client.send('DELETE', `${objects}/${uuid}?${consistency}`, undefined);
      return 'refused' in reply && reply.refused.status === 404 ? { items: new Map() } : reply;
    };
    const target: StoreTarget = {
      upload: (some) =>
        client.send('POST', `${url}/v1/batch/objects?${consistency}`, listBody('{"objects":[', some), (response) =>
          readItems(response, some.length),
        ),
      remove: (ids) => forEach(ids, (id) => removeOne(uuidOf(id))),
      removeChildren: (families, field) =>
        client.reply(async () => {
          const old: string[] = [];
          for (const family of families)
            old.push(...(await oldChildren(client, `${url}/v1/graphql`, className, field, family)));
          return firstRefusal(await forEach(old, removeOne));
        }),
    };
    const { childrenField } = this.context.settings;
    const retries = retriesOf(this.context, safeUrl(url));
    this.#connection = { client, writer: new StoreWriter([target], retries, { childrenField }) };
  }

  override send(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    return writeTo(this.#connection, batch, signal);
  }

  override async close(): Promise<void> {
    await this.#connection?.client.close();
  }

  get #url(): string {
    return storeUrl(this.params.host) ?? '';
  }

  #open(): Promise<StoreClient> {
    const { apiKey } = this.params;
    const headers: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey.trim()}` };
    return StoreClient.open('Weaviate', { headers, answerTimeout: WRITE_ANSWER_MS });
  }

  async #requireClass(client: StoreClient, signal?: AbortSignal): Promise<void> {
    const { className } = this.params;
    try {
      const url = `${this.#url}/v1/schema/${encodeURIComponent(className)}`;
      requireExactField((await client.read(url, signal)) as ClassSchema, this.context.settings.childrenField);
    } catch (error) {
      if (!(error instanceof StoreError) || error.status !== 404) throw error;
      throw new StoreError(404, `Weaviate has no collection ${className}`, {
        hint: 'Create it, or correct className. The names of collections begin with a capital letter.',
      });
    }
  }
}

/** The most objects that Weaviate returns for a query (QUERY_MAXIMUM_RESULTS), by default. */
const MAX_RESULTS = 10_000;

interface ClassSchema {
  /** Null in a collection that has no property yet. */
  readonly properties?: readonly { readonly name: string; readonly tokenization?: string }[] | null;
}

/** Throws if the property with the id of the parent is missing or split into words, so that no query finds an id. */
function requireExactField({ properties }: ClassSchema, field: string | undefined): void {
  const tokenization = properties?.find(({ name }) => name === field)?.tokenization;
  if (field === undefined || tokenization === 'field') return;
  const problem = tokenization === undefined ? 'is not a text property' : `is split into words (${tokenization})`;
  throw new StoreError(400, `The property ${field} (indexer.childrenField) ${problem}`, {
    hint: 'Create the property with dataType text and tokenization field.',
  });
}

interface GraphAnswer {
  readonly data?: {
    readonly Get?: Readonly<Record<string, readonly { readonly _additional: { readonly id: string } }[]>>;
  };
  readonly errors?: readonly { readonly message?: string }[];
}

/** Returns the UUIDs of the objects that have the parent in a property, but are not in its family. */
async function oldChildren(
  client: StoreClient,
  url: string,
  className: string,
  field: string,
  { parent, children }: Family,
): Promise<string[]> {
  const where = `{path: ["${field}"], operator: Equal, valueText: ${JSON.stringify(parent)}}`;
  const query = `{Get {${className}(limit: ${MAX_RESULTS}, where: ${where}) {_additional {id}}}}`;
  const answer = (await client.read(url, undefined, JSON.stringify({ query }))) as GraphAnswer;
  const found = answer.data?.Get?.[className];
  if (answer.errors !== undefined || found === undefined) {
    const reason = answer.errors?.[0]?.message ?? 'it returned no objects';
    throw new StoreError(422, `Weaviate did not find the children of ${parent}: ${reason}`);
  }
  const kept = new Set(children.map((id) => uuidOf(id)));
  return found.map(({ _additional: { id } }) => id).filter((id) => !kept.has(id));
}

interface BatchItem {
  readonly result?: {
    readonly status?: string;
    readonly errors?: { readonly error?: readonly { readonly message?: string }[] };
  };
}

/** Returns the failures of single objects. */
function readItems({ body }: HttpResponse, count: number): Reply {
  const results = parseJson(body.toString()) as readonly BatchItem[];
  if (!Array.isArray(results) || results.length !== count) {
    const message = `Weaviate did not report a result for each of ${count} objects`;
    return { refused: { status: NO_ANSWER, message } };
  }
  const items = new Map<number, DeliveryFailure>();
  for (const [i, { result }] of results.entries()) {
    const errors = result?.errors?.error ?? [];
    if (errors.length === 0 && result?.status !== 'FAILED') continue;
    const reasons = errors.map(({ message = '' }) => message).join('; ') || 'no reason given';
    items.set(i, { status: REFUSED, message: `Weaviate refused the object: ${reasons}` });
  }
  return { items };
}
