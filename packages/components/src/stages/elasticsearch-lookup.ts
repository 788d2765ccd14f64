import {
  BatchLoader,
  COERCED,
  copyValue,
  counted,
  type Document,
  type JsonObject,
  MapOf,
  memoryOf,
  type ParameterProblem,
  type ReportProblem,
  readJson,
  Stage,
  type Static,
  Type,
  type UpdateMode,
  UpdateModeParameter,
  type Value,
  writeValue,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { requireSuccess } from '../http/http-client.ts';
import { HttpError } from '../http/http-error.ts';
import { checkIndexAccess } from '../search-engine/check-index-access.ts';
import { checkConnection, connectionParameters } from '../search-engine/connection.ts';
import { SearchEngine } from '../search-engine/search-engine.ts';

const parameters = Type.Object({
  /** The index to look in. */
  elasticsearch: Type.Object({
    ...connectionParameters,
    /** Accepted, without effect. */
    update: Type.Optional(Type.Boolean({ noEffect: true })),
    /** Accepted, without effect. */
    parentName: Type.Optional(Type.String({ noEffect: true })),
    /** Accepted, without effect. */
    join: Type.Optional(MapOf(Type.String(), { ...COERCED, noEffect: true })),
  }),
  /** The fields of the entry. */
  source: Type.Array(Type.String()),
  /** The fields of the document to write, one for each source. */
  dest: Type.Array(Type.String()),
  /** What happens to a destination that exists: "overwrite", "append" or "skip". */
  updateMode: UpdateModeParameter,
});

const IN_FLIGHT = 256;
/** The maximum number of documents in one request. */
const BATCH = 64;

/**
 * Copies fields from the entry of an Elasticsearch index with the same id as the document.
 *
 * Values do not change: numbers, booleans, lists and objects keep their types. A missing field of the entry and a
 * missing entry change nothing. Names are those of the top level of the entry; a dot is part of the name.
 *
 * Documents that are processed together are looked up together, 64 in one request. Temporary failures (overload, lost
 * connections) are tried again for some seconds; then the documents fail. The run does not start if Elasticsearch
 * cannot be reached. OpenSearch works too.
 */
export class ElasticsearchLookup extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Copy the rating from the index',
      needs: 'An Elasticsearch with the entry {"rating": 4.5} under the id 1 of the index movies',
      params: {
        elasticsearch: { url: 'http://localhost:9200', index: 'movies' },
        source: ['rating'],
        dest: ['previous_rating'],
      },
      documents: [
        { id: '1', title: 'Up' },
        { id: '2', title: 'New' },
      ],
      output: [
        { id: '1', title: 'Up', previous_rating: 4.5 },
        { id: '2', title: 'New' },
      ],
    },
  ];

  static override *check({ elasticsearch, source, dest }: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkConnection('elasticsearch', elasticsearch);
    if (source.length === 0) yield { parameter: 'source', message: 'source must name at least one field' };
    if (source.length !== dest.length) {
      yield {
        parameter: 'dest',
        message: `source has ${counted(source.length, 'field')} and dest ${dest.length}`,
        hint: 'Name a destination for each source.',
      };
    }
    for (const [i, name] of dest.entries()) yield* checkDestination(`dest[${i}]`, name);
  }

  override readonly maxInFlight = IN_FLIGHT;
  #engine: SearchEngine | undefined;
  readonly #path = `/${encodeURIComponent(this.params.elasticsearch.index)}/_mget`;
  readonly #fields = writeValue(this.params.source);
  readonly #entries = new BatchLoader<string, Entry | undefined>({
    maxItems: BATCH,
    load: (ids) => this.#lookUp(ids),
    mayBeOneItem: (error) => error instanceof HttpError && (error.status === 400 || error.status === 413),
  });

  override async checkAccess(report: ReportProblem): Promise<void> {
    const { elasticsearch } = this.params;
    const place = { index: elasticsearch.index, parameter: 'elasticsearch.index', isMadeByWriting: false };
    await checkIndexAccess(elasticsearch, place, report);
  }

  override async start(): Promise<void> {
    this.#engine = await SearchEngine.open(this.params.elasticsearch);
    await this.#engine.ping();
  }

  override async process(document: Document): Promise<void> {
    const entry = await this.#entries.load(document.id);
    if (entry === undefined) return;
    await memoryOf(document).take(entry.bytes);
    const { source, dest } = this.params;
    const mode = this.params.updateMode;
    for (const [i, name] of source.entries()) {
      const value = entry.source.get(name);
      if (value !== undefined) write(document, dest[i] as string, mode, copyValue(value));
    }
  }

  override async stop(): Promise<void> {
    await this.#engine?.close();
  }

  /** Returns the entries with these ids. The item of an id that does not exist is undefined. */
  async #lookUp(ids: readonly string[]): Promise<(Entry | undefined | Error)[]> {
    const docs = ids.map((id) => `{"_id":${writeValue(id)},"_source":${this.#fields}}`);
    const response = await (this.#engine as SearchEngine).request({
      method: 'POST',
      path: this.#path,
      body: `{"docs":[${docs.join(',')}]}`,
    });
    const answer = readJson(requireSuccess(response).body.toString());
    const found = answer instanceof Map ? answer.get('docs') : undefined;
    if (!Array.isArray(found)) throw new Error(`The answer of ${response.url} has no list "docs"`);
    const bytes = Math.ceil(response.body.length / ids.length);
    return found.map((entry) => this.#read(entry, bytes));
  }

  #read(entry: Value, bytes: number): Entry | undefined | Error {
    const { index } = this.params.elasticsearch;
    if (!(entry instanceof Map)) return new Error(`Elasticsearch sent an answer that is not an entry of ${index}`);
    const error = entry.get('error');
    if (error !== undefined) {
      const reason = error instanceof Map ? `${error.get('type')}: ${error.get('reason')}` : writeValue(error);
      return new Error(`Elasticsearch could not look up ${entry.get('_id')} in ${index}: ${reason}`);
    }
    if (entry.get('found') !== true) return undefined;
    const source = entry.get('_source');
    if (source instanceof Map) return { source, bytes };
    return new Error(`The index ${index} does not store _source, so no fields can be copied from it`);
  }
}

/** An entry of the index, and its part of the answer, whose text the values share. */
interface Entry {
  readonly source: JsonObject;
  readonly bytes: number;
}

function write(document: Document, dest: string, mode: UpdateMode, value: Value): void {
  if (!Array.isArray(value)) document.update(dest, mode, [value]);
  else if (mode === 'overwrite') document.set(dest, value);
  else document.update(dest, mode, value);
}
