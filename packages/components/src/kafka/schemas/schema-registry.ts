import { HeadraceError, messageOf, parseJson } from '@headrace/engine';
import { HttpClient, type HttpResponse, requireSuccess } from '../../http/http-client.ts';
import { HttpError } from '../../http/http-error.ts';
import { authorizationOf, type ServerAccess, tlsOf } from '../../http/server-access.ts';
import { withoutEndSlashes } from '../../http/without-end-slashes.ts';
import { type ProtobufFile, readProtobufSchema } from './protobuf-schema.ts';
import type { RegisteredSchema } from './registered-schema.ts';

/** The block `schemaRegistry`. */
export interface SchemaRegistrySettings extends Omit<ServerAccess, 'apiKey'> {
  readonly url: string;
}

/** What the registry answers. */
interface Answer {
  readonly schema?: unknown;
  readonly schemaType?: unknown;
  readonly references?: unknown;
}

interface Reference {
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** The maximum number of schemas that one schema refers to. */
const MAX_REFERENCES = 200;
/** The maximum size of an answer of the registry. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Gets schemas from a registry with the interface of Confluent's: also Karapace, Apicurio and Redpanda. */
export class SchemaRegistry {
  readonly #url: string;
  readonly #client: HttpClient;
  readonly #schemas = new Map<number, RegisteredSchema>();

  private constructor(url: string, client: HttpClient) {
    this.#url = url;
    this.#client = client;
  }

  /** Throws if a file of the TLS settings cannot be read. */
  static async open(settings: SchemaRegistrySettings): Promise<SchemaRegistry> {
    const authorization = authorizationOf(settings);
    const client = await HttpClient.open({
      headers: {
        accept: 'application/vnd.schemaregistry.v1+json, application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      maxBodyBytes: MAX_BYTES,
      tls: tlsOf(settings),
    });
    return new SchemaRegistry(withoutEndSlashes(settings.url), client);
  }

  /**
   * Returns schemas by their ids. Schemas never change, so each is requested once. Throws `HR_SOURCE_UNREADABLE` if the
   * registry does not answer, or refuses the login.
   */
  async get(ids: Iterable<number>, signal: AbortSignal): Promise<ReadonlyMap<number, RegisteredSchema>> {
    const found = new Map<number, RegisteredSchema>();
    for (const id of ids) found.set(id, this.#schemas.get(id) ?? (await this.#read(id, signal)));
    return found;
  }

  /** Throws `HR_SOURCE_UNREADABLE` if the registry does not answer, or refuses the login. */
  async checkAccess(signal: AbortSignal): Promise<void> {
    const response = await this.#request('/schemas/types', signal);
    // Registries of other vendors may lack this page.
    if (response.status !== 404) this.#require(response);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #read(id: number, signal: AbortSignal): Promise<RegisteredSchema> {
    const response = await this.#request(`/schemas/ids/${id}`, signal);
    // Another message may be right, so the reason fails only those with this id. The id may be registered later.
    if (response.status === 404) return { kind: 'unusable', reason: `the schema registry has no schema ${id}` };
    this.#require(response);
    let schema: RegisteredSchema;
    try {
      schema = await this.#schemaOf(answerOf(response), signal);
    } catch (error) {
      if (!(error instanceof UnusableSchema)) throw error;
      schema = { kind: 'unusable', reason: `the schema ${id} cannot be used: ${error.message}` };
    }
    this.#schemas.set(id, schema);
    return schema;
  }

  async #schemaOf({ schema, schemaType = 'AVRO', references }: Answer, signal: AbortSignal): Promise<RegisteredSchema> {
    if (schemaType === 'JSON') return { kind: 'json' };
    if (typeof schema !== 'string') throw new UnusableSchema('the registry answered without its text');
    const others = new Map<string, ProtobufFile>();
    await this.#collect(references, others, signal);
    const files = [...others.values()];
    if (schemaType === 'AVRO') return { kind: 'avro', texts: [...files.map(({ text }) => text), schema] };
    if (schemaType !== 'PROTOBUF') throw new UnusableSchema(`its type ${JSON.stringify(schemaType)} is not known`);
    try {
      return { kind: 'protobuf', schema: await readProtobufSchema({ name: '', text: schema }, files) };
    } catch (error) {
      if (error instanceof HeadraceError && error.code === 'HR_DOCUMENT_TYPE') throw new UnusableSchema(error.message);
      throw error;
    }
  }

  /** Adds the schemas of references, each after those that it refers to. */
  async #collect(references: unknown, files: Map<string, ProtobufFile>, signal: AbortSignal): Promise<void> {
    if (!Array.isArray(references)) return;
    for (const reference of references as Partial<Reference>[]) {
      const { name, subject, version } = reference;
      if (typeof name !== 'string' || typeof subject !== 'string' || typeof version !== 'number') {
        throw new UnusableSchema('a reference has no name, subject or version');
      }
      const key = JSON.stringify([subject, version]);
      if (files.has(key)) continue;
      if (files.size >= MAX_REFERENCES) throw new UnusableSchema(`it refers to more than ${MAX_REFERENCES} schemas`);
      // A placeholder, so that references in a circle end.
      files.set(key, { name, text: '' });
      const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`;
      const response = await this.#request(path, signal);
      if (response.status === 404) throw new UnusableSchema(`the registry has no version ${version} of ${subject}`);
      this.#require(response);
      const answer = answerOf(response);
      await this.#collect(answer.references, files, signal);
      files.delete(key);
      files.set(key, { name, text: String(answer.schema) });
    }
  }

  async #request(path: string, signal: AbortSignal): Promise<HttpResponse> {
    try {
      return await this.#client.request({ url: this.#url + path, signal });
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #require(response: HttpResponse): void {
    try {
      requireSuccess(response);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    if (!(error instanceof HttpError)) return error;
    return new HeadraceError('HR_SOURCE_UNREADABLE', `Schema registry: ${messageOf(error)}`, {
      hint: 'Check schemaRegistry.url, its userName and password, and that the registry is up.',
    });
  }
}

/** The reason why a schema cannot be used. */
class UnusableSchema extends Error {}

function answerOf({ body }: HttpResponse): Answer {
  let answer: unknown;
  try {
    answer = parseJson(body.toString('utf8'));
  } catch (error) {
    throw new UnusableSchema(`the registry answered no JSON: ${messageOf(error)}`);
  }
  if (typeof answer !== 'object' || answer === null) throw new UnusableSchema('the registry answered no object');
  return answer;
}
