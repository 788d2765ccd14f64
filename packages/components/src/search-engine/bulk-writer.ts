import {
  BatchBytes,
  counted,
  Delivery,
  type DeliveryFailure,
  type Destination,
  type EncodedBatch,
  type Family,
  FamilyDelivery,
  type IndexFailure,
  KeyOrder,
  type Logger,
  NO_ANSWER,
  type Notices,
  type Reply,
  RequestSize,
  type Retries,
} from '@headrace/engine';
import {
  type ErrorCause,
  HashedBatch,
  joinBatches,
  RequestCollector,
  reasonOf,
  splitFailures,
  type UnchangedDocuments,
} from '@headrace/reindexing';
import type { HttpResponse } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { DELETE_BY_QUERY } from './bulk-encoder.ts';
import {
  BULK_FILTER,
  BulkReplies,
  type ProductName,
  parse,
  statusRefusal,
  strangeAnswer,
  transportRefusal,
} from './bulk-reply.ts';
import type { DataStreams } from './data-streams.ts';
import { exactField, familiesQuery } from './old-children.ts';
import type { SearchEngine, SearchEngineRequest } from './search-engine.ts';
import { StreamRequests, type StreamWriter } from './stream-requests.ts';
import type { WriteRecorder } from './write-recorder.ts';

/** The action line of a bulk request. After this member, the lines of two versions of a document are equal. */
const ID_MEMBER = '"_id":';
const ID_BYTES = Buffer.from(ID_MEMBER);
/** What may happen if an index is not refreshed before a delete by a field. */
const MISSED_DELETES = 'deletes by a field may miss the documents written just before';

/** The maximum number of hits of a search, by default. */
const MAX_HITS = 10_000;

/** A batch is replaced by a copy of its changed documents if they are at most this share of it. */
const MOST_KEPT = 0.2;

export interface BulkWriterOptions {
  readonly engine: SearchEngine;
  /** The client with long time-outs, for slow requests. */
  readonly patientEngine: SearchEngine;
  readonly retries: Retries;
  readonly name: ProductName;
  readonly partial: boolean;
  readonly externalVersions: boolean;
  /** True if each document has its own index name. */
  readonly namesIndex: boolean;
  /** Whether documents are only written to an alias, so that no request creates an index. Defaults to false. */
  readonly requireAlias?: boolean;
  /** Finds documents that need not be sent, in batches with hashes. Undefined if all documents are sent. */
  readonly unchanged?: UnchangedDocuments | undefined;
  /** How many requests with changed documents may be in flight, and the number of documents of a full one. */
  readonly requests?: number;
  readonly batchSize?: number | undefined;
  /** The index and the field with the id of the parent, if old children are deleted. */
  readonly children?: { readonly index: string; readonly field: string };
  /** What is known about data streams among the destinations. Undefined if there can be none. */
  readonly streams?: StreamOptions | undefined;
  /** Records what is written while the live index is rebuilt. Undefined if it need not be recorded. */
  readonly recorder?: WriteRecorder | undefined;
  readonly log: Logger;
  readonly notices: Notices;
}

/** How documents are written to data streams. */
export interface StreamOptions {
  readonly names: DataStreams;
  /** Why no document can be written to a data stream with the settings of the config; undefined if there is no reason. */
  readonly why: string | undefined;
  /** Called with the number of documents that a data stream already has, by their ids. */
  readonly onExisting: (count: number) => void;
}

/** The documents of a batch that have changed. */
interface ChangedDocuments {
  readonly documents: EncodedBatch;
  readonly signal: AbortSignal;
}

/** A delete by query, as `BulkEncoder` writes it. */
interface DeleteByQuery {
  readonly field: string;
  readonly value: string;
  readonly _index: string;
}

/**
 * Writes batches of `BulkEncoder` to a search engine: bulk requests, and deletes by query between them. Two batches
 * with the same document are written in sequence.
 */
export class BulkWriter {
  readonly #options: BulkWriterOptions;
  readonly #size = new RequestSize();
  readonly #order = new KeyOrder();
  readonly #replies: BulkReplies;
  readonly #query = Buffer.from(DELETE_BY_QUERY);
  readonly #bulk: Delivery;
  readonly #deletes: Delivery;
  /** Whether anything was written, the indices with deletes, and the indices that were refreshed since then. */
  #written = false;
  readonly #deletedFrom = new Set<string>();
  readonly #refreshed = new Set<string>();
  #refreshFailed = false;
  #dropped = 0;
  #existing = 0;
  readonly #families: FamilyDelivery;
  readonly #changed: RequestCollector<ChangedDocuments, IndexFailure[]>;
  /** The field for queries, when it is known. */
  #exactField: string | undefined;

  constructor(options: BulkWriterOptions) {
    this.#options = options;
    this.#replies = new BulkReplies({
      newerIsFine: options.externalVersions,
      namesIndex: options.namesIndex,
      name: options.name,
      onDropped: (count) => {
        this.#dropped += count;
        this.#options.notices.report('document.droppedByServer', { count });
      },
      onExisting: (count) => this.#addExisting(count),
      onNotWritten: (count) => options.unchanged?.notWritten(count),
    });
    this.#bulk = new Delivery(options.retries, this.#size);
    this.#deletes = new Delivery(options.retries, new RequestSize());
    this.#families = new FamilyDelivery(options.retries);
    const { requests = 1, batchSize: fullSize = 100 } = options;
    this.#changed = new RequestCollector({ requests, fullSize, send: (parts) => this.#sendTogether(parts) });
  }

  write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const { children } = this.#options;
    if (children === undefined) return this.#order.run(...this.#work(batch, signal));
    const write = (documents: EncodedBatch) => this.#work(documents, signal)[1]();
    const remove = (families: readonly Family[], isRecent: boolean) => this.#removeChildren(families, isRecent);
    // The delete must not meet the children of a later version in another batch.
    return this.#order.run(undefined, () => this.#families.write(batch, signal, write, remove));
  }

  /** Returns the work of writing a batch, with the hashes of its documents. */
  #work(
    batch: EncodedBatch,
    signal: AbortSignal,
  ): [keys: ReadonlySet<number | string> | undefined, work: () => Promise<readonly IndexFailure[]>] {
    const { unchanged } = this.#options;
    if (unchanged !== undefined) return this.#changedWork(batch, unchanged, signal);
    const bytes = new BatchBytes(batch);
    const hashes = new Set<number>();
    const queries: boolean[] = [];
    for (let i = 0; i < bytes.count; i++) {
      if (bytes.startsWith(i, this.#query)) queries[i] = true;
      else hashes.add(bytes.hashOfFirstLine(i, ID_BYTES));
    }
    if (queries.length === 0) {
      return [hashes, () => this.#bulk.deliver(allOf(bytes.count), this.#bulkRequests(bytes, signal), signal)];
    }
    // A delete by query may concern any document.
    return [undefined, () => this.#writeInTurns(bytes, queries, signal)];
  }

  /** Returns the work of writing the documents of a batch that the index does not have. */
  #changedWork(
    batch: EncodedBatch,
    unchanged: UnchangedDocuments,
    signal: AbortSignal,
  ): [keys: ReadonlySet<string>, work: () => Promise<readonly IndexFailure[]>] {
    const hashed = new HashedBatch(batch);
    const { positions, keys, acknowledge } = unchanged.take(hashed);
    if (positions.length === 0) return [new Set(), async () => []];
    const part = { documents: hashed.documents(positions), signal };
    // The changed documents of many batches wait together, so the other documents must not fill the memory.
    if (positions.length < batch.count * MOST_KEPT) batch.keep?.(positions);
    const write = async () => {
      const failed = await this.#changed.add(part, positions.length);
      const failures = failed.map((failure) => ({ ...failure, index: positions[failure.index] as number }));
      acknowledge(failures);
      return failures;
    };
    return [new Set(keys), write];
  }

  /** Sends the changed documents of several batches in one request. Returns the failures of each batch. */
  async #sendTogether(parts: readonly ChangedDocuments[]): Promise<IndexFailure[][]> {
    const documents = parts.map((part) => part.documents);
    const bytes = new BatchBytes(joinBatches(documents));
    const signal = AbortSignal.any(parts.map((part) => part.signal));
    const failures = await this.#bulk.deliver(allOf(bytes.count), this.#bulkRequests(bytes, signal), signal);
    return splitFailures(failures, documents);
  }

  async #removeChildren(families: readonly Family[], isRecent: boolean): Promise<Reply> {
    const { engine, name, children: { index, field } = { index: '', field: '' } } = this.#options;
    // Children that this run has not written are visible after one refresh at its start.
    const refused = isRecent ? await this.#refresh(index) : undefined;
    if (refused !== undefined) return refused;
    if (this.#exactField === undefined) {
      const path = `/${encodeURIComponent(index)}/_mapping/field/${encodeURIComponent(field)}*`;
      const found = await this.#ask(engine, { method: 'GET', path }, (response) => exactField(response, field, name));
      if (typeof found !== 'string') return found;
      this.#exactField = found;
    }
    const query = familiesQuery(families, this.#exactField);
    return this.#requestDelete(index, query);
  }

  #addExisting(count: number): void {
    this.#existing += count;
    this.#options.streams?.onExisting(count);
  }

  /** Reports warnings about the whole run. Call it after the last write. */
  end(): void {
    const dropped = this.#dropped;
    if (this.#existing > 0) {
      this.#options.log.warn(
        `The data stream already has ${counted(this.#existing, 'document')} by their ids, and keeps the older content. They count as unchanged`,
      );
    }
    if (dropped === 0) return;
    const were = dropped === 1 ? 'was' : 'were';
    this.#options.log.warn(
      `${counted(dropped, 'document')} ${were} dropped by the ingest pipeline of the index, which counts as success`,
    );
  }

  /** Sends bulk requests and deletes by query in the order of the documents. */
  async #writeInTurns(
    bytes: BatchBytes,
    queries: readonly boolean[],
    signal: AbortSignal,
  ): Promise<readonly IndexFailure[]> {
    const failures: IndexFailure[] = [];
    const bulk = this.#bulkRequests(bytes, signal);
    for (let from = 0, to = 0; from < bytes.count; from = to) {
      while (to < bytes.count && queries[to] === queries[from]) to++;
      const positions = allOf(to, from);
      if (queries[from] !== true) failures.push(...(await this.#bulk.deliver(positions, bulk, signal)));
      else failures.push(...(await this.#deleteByQuery(bytes, positions, signal)));
    }
    return failures;
  }

  #bulkRequests(bytes: BatchBytes, signal: AbortSignal): Destination {
    const { partial, externalVersions, requireAlias, recorder } = this.#options;
    const more = requireAlias ? '&require_alias=true' : '';
    const send: StreamWriter['send'] = async (body, positions, isUnsure) => {
      const post = (filter = '') => this.#sendBulk(body, positions.length, `${BULK_FILTER}${filter}${more}`, isUnsure);
      return recorder === undefined ? (await post()).reply : recorder.request(bytes, positions, signal, post);
    };
    const requests = this.#streamRequests(bytes, send);
    return {
      partial,
      key: (position) => keyOf(bytes.firstLine(position)),
      length: (position) => bytes.length(position),
      ...(externalVersions ? { version: (position) => versionOf(bytes.firstLine(position)) } : {}),
      isolates: (status) => status === 400,
      request: (positions) => {
        this.#written = true;
        this.#refreshed.clear();
        return requests === undefined ? send(bytes.join(positions), positions) : requests.request(positions);
      },
    };
  }

  #streamRequests(bytes: BatchBytes, send: StreamWriter['send']): StreamRequests | undefined {
    const { streams } = this.#options;
    if (streams === undefined) return undefined;
    const { names } = streams;
    return new StreamRequests(bytes, {
      hasStreams: () => names.hasAny,
      isStream: (name) => names.has(name),
      addStream: (name) => names.add(name),
      existing: (stream, ids) => this.#existingIds(stream, ids),
      send,
      why: streams.why,
    });
  }

  /** Returns which ids a data stream has, in all its indices. */
  async #existingIds(stream: string, ids: readonly string[]): Promise<ReadonlySet<string> | Reply> {
    const { engine, name } = this.#options;
    const found = new Set<string>();
    this.#refreshed.delete(stream);
    const refused = await this.#refresh(
      stream,
      'documents whose answer was lost may be written twice after a rollover',
    );
    if (refused !== undefined) return refused;
    for (let from = 0; from < ids.length; from += MAX_HITS) {
      const values = ids.slice(from, from + MAX_HITS);
      const path = `/${encodeURIComponent(stream)}/_search?filter_path=hits.hits._id`;
      const body = JSON.stringify({ size: values.length, _source: false, query: { ids: { values } } });
      const hits = await this.#ask(engine, { method: 'POST', path, body }, (response) => readHits(response, name));
      if (!Array.isArray(hits)) return hits as Reply;
      for (const id of hits as string[]) found.add(id);
    }
    return found;
  }

  /** Returns the reply, and the response if there was one. */
  async #sendBulk(body: Buffer, count: number, query: string, isUnsure?: (i: number) => boolean) {
    const contentType = 'application/x-ndjson';
    let response: HttpResponse | undefined;
    const request = { method: 'POST', path: `/_bulk?${query}`, body, contentType } as const;
    const reply = await this.#ask<Reply>(this.#options.engine, request, (answer) => {
      response = answer;
      return this.#replies.read(answer, count, isUnsure);
    });
    return { reply, response };
  }

  async #deleteByQuery(bytes: BatchBytes, positions: readonly number[], signal: AbortSignal): Promise<IndexFailure[]> {
    const wanted = new Map<number, DeleteByQuery>();
    const byIndex = new Map<string, number[]>();
    for (const position of positions) {
      const one = (JSON.parse(bytes.document(position).toString()) as { delete_by_query: DeleteByQuery })
        .delete_by_query;
      wanted.set(position, one);
      byIndex.getOrInsertComputed(one._index, () => []).push(position);
    }
    const failures: IndexFailure[] = [];
    for (const [index, some] of byIndex) {
      const destination: Destination = {
        partial: false,
        key: String,
        length: (position) => bytes.length(position),
        isolates: (status) => status === 400,
        request: async (asked) => {
          const refused = await this.#refresh(index);
          if (refused !== undefined) return refused;
          // Mark the index before the request, because the response may get lost: without a refresh, the next query
          // would see deleted documents and fail with a conflict.
          this.#deletedFrom.add(index);
          this.#refreshed.delete(index);
          return this.#requestDelete(
            index,
            valuesQuery(asked.map((position) => wanted.get(position) as DeleteByQuery)),
          );
        },
      };
      failures.push(...(await this.#deletes.deliver(some, destination, signal)));
    }
    return failures;
  }

  #requestDelete(index: string, query: object): Promise<Reply> {
    const { patientEngine, name } = this.#options;
    const path = `/${encodeURIComponent(index)}/_delete_by_query`;
    const body = JSON.stringify({ query });
    return this.#ask(patientEngine, { method: 'POST', path, body }, (response) => readDeleteReply(response, name));
  }

  /**
   * Refreshes the index, so that a delete by query sees all documents that this run has written before. Returns the
   * failure if the delete must not be sent.
   */
  /** @param effect what may happen without the refresh, for the warning if it is not permitted */
  async #refresh(index: string, effect = MISSED_DELETES): Promise<Reply | undefined> {
    const isChanged = this.#written || this.#deletedFrom.has(index);
    if (!isChanged || this.#refreshed.has(index)) return undefined;
    const { engine, log, name } = this.#options;
    const path = `/${encodeURIComponent(index)}/_refresh`;
    const reply = await this.#ask(engine, { method: 'POST', path }, (response) => readRefreshReply(response, name));
    if (!('refused' in reply)) {
      this.#refreshed.add(index);
      return undefined;
    }
    const { refused } = reply;
    const problem = `The index ${index} cannot be refreshed`;
    // A missing permission or index does not change with a retry.
    if (refused.status !== 403 && refused.status !== 404) {
      return { refused: { ...refused, message: `${problem}: ${refused.message}` } };
    }
    if (!this.#refreshFailed) {
      this.#refreshFailed = true;
      log.warn(`${problem}, so ${effect}: ${refused.message}`);
    }
    return undefined;
  }

  async #ask<T>(
    engine: SearchEngine,
    request: SearchEngineRequest,
    read: (response: HttpResponse) => T | Reply,
  ): Promise<T | Reply> {
    return this.#refusing(async () => read(await engine.request(request)));
  }

  /** Returns the result of requests, or the refusal if one has no response. */
  async #refusing<T>(work: () => Promise<T>): Promise<T | { readonly refused: DeliveryFailure }> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const refusal = transportRefusal(error.message, this.#options.name);
      return { refused: error.isConnectionFailure ? refusal : { ...refusal, retryable: false } };
    }
  }
}

/**
 * Returns the ids of the hits of a search. Without a permission to search, or without a data stream, there are none: a
 * `create` then still finds the ids of the newest index.
 */
function readHits(response: HttpResponse, name: ProductName): string[] | Reply {
  if (response.status === 403 || response.status === 404) return [];
  if (response.status >= 300) return { refused: statusRefusal(response, name) };
  const { hits } = (parse(response) ?? {}) as { hits?: { hits?: readonly { _id: string }[] } };
  return (hits?.hits ?? []).map(({ _id }) => _id);
}

function valuesQuery(wanted: readonly DeleteByQuery[]): object {
  const values = new Map<string, string[]>();
  for (const { field, value } of wanted) values.getOrInsertComputed(field, () => []).push(value);
  const should = [...values].map(([field, some]) => ({ terms: { [field]: some } }));
  return { bool: { minimum_should_match: '1', should } };
}

interface RefreshAnswer {
  readonly _shards?: {
    readonly failed?: number;
    readonly failures?: readonly { readonly reason?: ErrorCause }[];
  };
}

function readRefreshReply(response: HttpResponse, name: ProductName): Reply {
  if (response.status >= 300) return { refused: statusRefusal(response, name) };
  const { failed = 0, failures } = (parse(response) as RefreshAnswer | undefined)?._shards ?? {};
  if (failed === 0) return { items: new Map() };
  const reason = reasonOf(failures?.[0]?.reason) ?? 'no reason given';
  return { refused: { status: NO_ANSWER, message: `${failed} of its shards failed: ${reason}` } };
}

interface DeleteAnswer {
  readonly timed_out?: boolean;
  readonly failures?: readonly { readonly status?: number; readonly cause?: { reason?: string } }[];
}

function readDeleteReply(response: HttpResponse, name: ProductName): Reply {
  // A document changed between the search and the delete. The retry deletes its current version.
  const conflict = response.status === 409;
  const answer = parse(response) as DeleteAnswer | undefined;
  const [failure] = answer?.failures ?? [];
  const reason = reasonOf(failure?.cause);
  const message = `encountered errors while deleting by query${reason === undefined ? '' : `: ${reason}`}`;
  if (conflict) return { refused: { status: 409, message, retryable: true } };
  if (response.status >= 300) return { refused: statusRefusal(response, name) };
  if (answer === undefined) return { refused: strangeAnswer(response, name, 'which is not JSON') };
  if (failure !== undefined)
    return { refused: { status: failure.status ?? NO_ANSWER, message } satisfies DeliveryFailure };
  if (answer.timed_out === true) return { refused: { status: NO_ANSWER, message: `${message}: it timed out` } };
  return { items: new Map() };
}

/** Returns the part of an action line that identifies the document, without the action and the version. */
function keyOf(line: string): string {
  return line.slice(line.indexOf(ID_MEMBER));
}

/** Returns the external version in an action line, or undefined if it has none. */
function versionOf(line: string): bigint | undefined {
  const [, version] = /^\{"\w+":\{"version":(\d+)/.exec(line) ?? [];
  return version === undefined ? undefined : BigInt(version);
}

function allOf(to: number, from = 0): number[] {
  const positions = new Array<number>(to - from);
  for (let i = from; i < to; i++) positions[i - from] = i;
  return positions;
}
