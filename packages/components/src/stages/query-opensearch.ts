import {
  type Document,
  JsonSyntaxError,
  memoryOf,
  type ParameterProblem,
  type ReportProblem,
  readJson,
  Stage,
  type StageContext,
  type Static,
  Type,
  type Value,
  writeString,
  writeValue,
} from '@headrace/engine';
import { checkDestination } from '../fields/destination.ts';
import { requireSuccess } from '../http/http-client.ts';
import { followJsonPointer, parseJsonPointer } from '../json/json-pointer.ts';
import { checkConnection, connectionParameters } from '../search-engine/connection.ts';
import { reachIndex } from '../search-engine/reach-index.ts';
import { SearchEngine } from '../search-engine/search-engine.ts';

const parameters = Type.Object({
  /** The index to search. */
  opensearch: Type.Object(connectionParameters),
  /** The id of a stored template. Either templateName or searchTemplate is required. */
  templateName: Type.Optional(Type.String()),
  /**
   * A template as JSON text, such as """{"source": {"query": {"match": {"title": "{{title}}"}}}}""". Parameters in it
   * are replaced.
   */
  searchTemplate: Type.Optional(Type.String()),
  /** Fields that are parameters and are required. */
  requiredParamNames: Type.Array(Type.String(), { default: [] }),
  /** Fields that are parameters if they exist. */
  optionalParamNames: Type.Array(Type.String(), { default: [] }),
  /**
   * The part of the answer to write, as a JSON pointer: /hits/hits/0/_source/title. If it finds nothing, null is
   * written. Defaults to the whole answer.
   */
  opensearchResponsePath: Type.Optional(Type.String()),
  /** The field for the answer. The previous value is replaced. */
  destinationField: Type.String({ default: 'response' }),
});

const IN_FLIGHT = 64;
const ERROR_FIELD = 'queryOpensearchError';

/**
 * Runs a search in OpenSearch for each document, and writes the result to a field.
 *
 * The search is a search template: one that is stored in OpenSearch (templateName) or one in the config
 * (searchTemplate). Its parameters are fields of the document, with their names and values, including lists and
 * objects.
 *
 * A document without a required field is not searched for: it gets the field queryOpensearchError with the text "A
 * requiredField was missing." and continues. A field with null exists. An answer that is not a success fails the
 * document, with the answer of OpenSearch. Temporary failures (overload, lost connections) are tried again for some
 * seconds first. 64 searches run at a time, and documents keep their order. Elasticsearch works too.
 */
export class QueryOpensearch extends Stage<typeof parameters> {
  static override readonly parameters = parameters;

  static readonly examples = [
    {
      description: 'Count the reviews of each movie',
      needs: 'An OpenSearch with an index reviews, two of whose entries have the movie 1',
      params: {
        opensearch: { url: 'http://localhost:9200', index: 'reviews' },
        searchTemplate: '{"source": {"size": 0, "query": {"term": {"movie": "{{id}}"}}}}',
        requiredParamNames: ['id'],
        opensearchResponsePath: '/hits/total/value',
        destinationField: 'reviews',
      },
      documents: [{ id: '1', title: 'Up' }],
      output: [{ id: '1', title: 'Up', reviews: 2 }],
    },
  ];

  static override *check(params: Static<typeof parameters>): Generator<ParameterProblem> {
    yield* checkConnection('opensearch', params.opensearch);
    const { templateName, searchTemplate, opensearchResponsePath, destinationField } = params;
    if ((templateName === undefined) === (searchTemplate === undefined)) {
      yield {
        parameter: templateName === undefined ? 'templateName' : 'searchTemplate',
        message: 'Either templateName or searchTemplate must be given, and not both',
      };
    }
    if (searchTemplate !== undefined) yield* checkTemplate(searchTemplate);
    if (opensearchResponsePath !== undefined && parseJsonPointer(opensearchResponsePath) === undefined) {
      yield {
        parameter: 'opensearchResponsePath',
        message: `Invalid input: JSON Pointer expression must start with '/': "${opensearchResponsePath}"`,
      };
    }
    yield* checkDestination('destinationField', destinationField as string);
  }

  override readonly maxInFlight = IN_FLIGHT;
  #engine: SearchEngine | undefined;
  readonly #path = `/${encodeURIComponent(this.params.opensearch.index)}/_search/template`;
  readonly #pointer = parseJsonPointer(this.params.opensearchResponsePath ?? '') ?? [];
  /** The start of every request body. The parameters follow it. */
  readonly #template: string;

  constructor(params: Static<typeof parameters>, context: StageContext) {
    super(params, context);
    this.#template = openTemplate(params);
  }

  override async reach(report: ReportProblem): Promise<void> {
    const { opensearch } = this.params;
    const place = { index: opensearch.index, parameter: 'opensearch.index', isMadeByWriting: false };
    await reachIndex(opensearch, place, report);
  }

  override async start(): Promise<void> {
    this.#engine = await SearchEngine.open({ ...this.params.opensearch, connections: IN_FLIGHT });
  }

  override process(document: Document): Promise<void> | undefined {
    const { requiredParamNames, optionalParamNames } = this.params;
    const missing = requiredParamNames.find((name) => !document.has(name));
    if (missing !== undefined) {
      const hint = 'the document has no such field, which the search requires';
      this.context.notices.report('stage.unchanged', { document: document.id, field: missing, hint });
      document.set(ERROR_FIELD, 'A requiredField was missing.');
      return undefined;
    }
    const named: string[] = [];
    for (const name of new Set([...requiredParamNames, ...optionalParamNames])) {
      const value = document.get(name);
      if (value !== undefined) named.push(`${writeString(name)}:${writeValue(value)}`);
    }
    return this.#search(document, `${this.#template}"params":{${named.join(',')}}}`);
  }

  override async stop(): Promise<void> {
    await this.#engine?.close();
  }

  async #search(document: Document, body: string): Promise<void> {
    const path = this.#path;
    const request = { method: 'POST', path, body, memory: memoryOf(document) } as const;
    const response = requireSuccess(await (this.#engine as SearchEngine).request(request));
    let answer: Value;
    try {
      answer = readJson(response.body.toString());
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      throw new Error(`OpenSearch at ${this.#engine?.address} answered something that is not JSON: ${error.message}`);
    }
    document.set(this.params.destinationField, followJsonPointer(answer, this.#pointer) ?? null);
  }
}

function* checkTemplate(text: string): Generator<ParameterProblem> {
  const parameter = 'searchTemplate';
  try {
    if (!(readJson(text) instanceof Map)) yield { parameter, message: 'searchTemplate must be a JSON object' };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    yield { parameter, message: `searchTemplate is not JSON: ${error.message}` };
  }
}

/** Returns the start of the JSON object of a request. The parameters follow it. */
function openTemplate({ templateName, searchTemplate }: Static<typeof parameters>): string {
  if (searchTemplate === undefined) return `{"id":${writeString(templateName ?? '')},`;
  const members = [...(readJson(searchTemplate) as Map<string, Value>)].filter(([name]) => name !== 'params');
  return `{${members.map(([name, value]) => `${writeString(name)}:${writeValue(value)},`).join('')}`;
}
