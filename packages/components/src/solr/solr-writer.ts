import {
  BatchBytes,
  Delivery,
  type DeliveryFailure,
  type Destination,
  type EncodedBatch,
  type Family,
  FamilyDelivery,
  type IndexFailure,
  NO_ANSWER,
  parseJson,
  type Reply,
  RequestSize,
  type Retries,
} from '@headrace/engine';
import { excerpt } from '../http/excerpt.ts';
import { type HttpResponse, headerText } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { readRetryAfter } from '../http/retry.ts';
import type { SearchEngine } from '../search-engine/search-engine.ts';
import { NO_COLLECTION } from './solr.ts';
import { quoted, type SolrTarget } from './solr-encoder.ts';

/** The maximum length of a foreign response in a message. */
const MAX_EXCERPT = 200;

/** Separates ids in a list of Solr. It is not allowed in XML, so no sensible id contains it. */
const SEPARATOR = '\u001f';

/** The field with the id of the parent, and the collection of the children. */
export interface OldChildren {
  readonly collection: string;
  readonly field: string;
}

/** The description of a field or of a type. */
interface SchemaAnswer {
  readonly field?: { readonly type?: string };
  readonly fieldType?: { readonly class?: string };
}

const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from('}');

/**
 * Writes batches of `SolrEncoder` to Solr: one request per collection, with the commands in the order of the documents.
 * Solr accepts or rejects a request as a whole, but may have executed the commands before a bad one. These are sent
 * again after the bad command was found.
 */
export class SolrWriter {
  readonly #engine: SearchEngine;
  readonly #delivery: Delivery;
  /** Collections that have accepted documents: if one of them is not found later, its node is restarting. */
  readonly #known = new Set<string>();

  readonly #families: FamilyDelivery;
  readonly #children: OldChildren | undefined;
  readonly #requireCollection: () => Promise<void>;
  /** True after the field with the parent was found to be exact. */
  #isFieldExact = false;

  /** @param requireCollection throws if a collection is not found because somebody has deleted it */
  constructor(
    engine: SearchEngine,
    retries: Retries,
    children?: OldChildren,
    requireCollection: () => Promise<void> = async () => {},
  ) {
    this.#requireCollection = requireCollection;
    this.#engine = engine;
    this.#delivery = new Delivery(retries, new RequestSize());
    this.#families = new FamilyDelivery(retries);
    this.#children = children;
  }

  write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const children = this.#children;
    if (children === undefined) return this.#write(batch, signal);
    const remove = (families: readonly Family[]) => this.#removeChildren(families, children);
    return this.#families.write(batch, signal, (documents) => this.#write(documents, signal), remove);
  }

  async #removeChildren(families: readonly Family[], { collection, field }: OldChildren): Promise<Reply> {
    const refused = this.#isFieldExact ? undefined : await this.#checkField(collection, field);
    if (refused !== undefined) return { refused };
    const commands = families.map(({ parent, children }) => {
      const keep = `{!terms f=id separator=${quoted(SEPARATOR)} v=${quoted(children.join(SEPARATOR))}}`;
      const not = children.length === 0 ? '' : ` must_not=${quoted(keep)}`;
      const query = `{!bool must=${quoted(`{!term f=${quoted(field)} v=${quoted(parent)}}`)}${not}}`;
      return `"delete":${JSON.stringify({ query })}`;
    });
    return this.#update(collection, Buffer.from(`{${commands.join(',')}}`));
  }

  /** Returns the reason if the field is analysed: a query for an id would then match nothing, or too much. */
  async #checkField(collection: string, field: string): Promise<DeliveryFailure | undefined> {
    const { field: known } = await this.#readSchema(
      collection,
      `fields/${encodeURIComponent(field)}?includeDynamic=true`,
    );
    if (known?.type === undefined) return undefined;
    const { fieldType } = await this.#readSchema(collection, `fieldtypes/${encodeURIComponent(known.type)}`);
    this.#isFieldExact = fieldType?.class?.endsWith('TextField') !== true;
    if (this.#isFieldExact) return undefined;
    const message = `The field ${field} (indexer.childrenField) has the type ${known.type}, which splits ids into words: use the type string`;
    return { status: 400, message, retryable: false };
  }

  /** Returns a part of the schema. Returns an empty object without the right to read it, or without an answer. */
  async #readSchema(collection: string, part: string): Promise<SchemaAnswer> {
    try {
      const path = `/${encodeURIComponent(collection)}/schema/${part}`;
      const response = await this.#engine.request({ method: 'GET', path });
      return (response.status === 200 ? (parse(response) as SchemaAnswer | undefined) : undefined) ?? {};
    } catch (error) {
      if (error instanceof HttpError) return {};
      throw error;
    }
  }

  async #write(batch: EncodedBatch, signal: AbortSignal): Promise<readonly IndexFailure[]> {
    const bytes = new BatchBytes(batch);
    const lines: string[] = [];
    const collections = new Map<string, number[]>();
    let start = '';
    let positions: number[] = [];
    for (let i = 0; i < bytes.count; i++) {
      const line = bytes.firstLine(i);
      lines.push(line);
      // Most documents have the collection of the document before them. Parsing each line takes much longer.
      if (start === '' || !line.startsWith(start)) {
        const { collection } = bytes.firstJson(i) as SolrTarget;
        start = Buffer.from(`{"collection":${JSON.stringify(collection)}`).toString('latin1');
        positions = collections.getOrInsertComputed(collection, () => []);
      }
      positions.push(i);
    }
    const failures: IndexFailure[] = [];
    for (const [collection, some] of collections) {
      const destination = this.#destination(collection, bytes, lines);
      failures.push(...(await this.#delivery.deliver(some, destination, signal)));
    }
    return failures;
  }

  #destination(collection: string, bytes: BatchBytes, lines: readonly string[]): Destination {
    return {
      partial: false,
      key: (position) => lines[position] as string,
      length: (position) => bytes.length(position),
      // Solr may answer 500 if an update processor fails for one document.
      isolates: (status) => status === 400 || status === 409 || status === 500,
      request: (positions) => {
        const body: Uint8Array[] = [];
        for (const position of positions) {
          const start = (lines[position] as string).length + 1;
          body.push(body.length === 0 ? OPEN : COMMA, bytes.document(position).subarray(start, -1));
        }
        body.push(CLOSE);
        return this.#update(collection, Buffer.concat(body));
      },
    };
  }

  async #update(collection: string, body: Uint8Array): Promise<Reply> {
    try {
      const path = `/${encodeURIComponent(collection)}/update?wt=json`;
      const reply = readReply(await this.#engine.request({ method: 'POST', path, body }));
      if ('items' in reply) this.#known.add(collection);
      if ('items' in reply || reply.refused.status !== 404) return reply;
      await this.#requireCollection();
      return this.#known.has(collection) ? { refused: { ...reply.refused, retryable: true } } : reply;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      const refusal: DeliveryFailure = {
        status: NO_ANSWER,
        message: `Error communicating with Solr: ${error.message}`,
      };
      return { refused: error.isConnectionFailure ? refusal : { ...refusal, retryable: false } };
    }
  }
}

interface SolrAnswer {
  readonly responseHeader?: { readonly status?: number };
  readonly error?: { readonly msg?: string; readonly code?: number };
}

function readReply(response: HttpResponse): Reply {
  const { status, headers } = response;
  const answer = parse(response);
  const success = status >= 200 && status < 300;
  if (success && answer?.responseHeader?.status === 0 && answer.error === undefined) return { items: new Map() };
  const said = answer?.error?.msg ?? (status === 404 ? NO_COLLECTION : excerpt(response.body, MAX_EXCERPT));
  if (success && answer === undefined) {
    return {
      refused: { status: NO_ANSWER, message: `Error communicating with Solr: it answered ${status} with "${said}"` },
    };
  }
  const code = success ? (answer?.error?.code ?? 500) : status;
  const retryAfter = readRetryAfter(headerText(headers, 'retry-after'));
  const message = `Solr returned HTTP ${code}${said === '' ? '' : `: ${said}`}`;
  return { refused: { status: code, message, ...(retryAfter === undefined ? {} : { retryAfter }) } };
}

function parse({ body }: HttpResponse): SolrAnswer | undefined {
  try {
    return parseJson(body.toString()) as SolrAnswer;
  } catch {
    // Proxies may answer with HTML pages; the caller shows an excerpt.
    return undefined;
  }
}
