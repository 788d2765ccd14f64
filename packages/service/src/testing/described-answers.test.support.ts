import { Ajv2020 } from 'ajv/dist/2020.js';
import { defaultSettings, type ServiceSettings } from '../settings/service-settings.ts';
import { silentLogger } from '../silent-logger.ts';
import { startService } from '../start-service.ts';
import { FakeThreads } from './fake-threads.test.support.ts';

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, object> }> }>>;
}

/** An answer of the service, with its request. */
export interface GivenAnswer {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

/** The responses of the OpenAPI document. Tests compare every response of the service with it. */
export class DescribedAnswers {
  static #loaded: Promise<DescribedAnswers> | undefined;
  readonly #document: OpenApi;
  // Most schemas check a few answers, so optimized code would cost more than it saves.
  readonly #ajv = new Ajv2020({ strict: false, code: { optimize: false } });

  private constructor(document: OpenApi) {
    this.#document = document;
    this.#ajv.addSchema(closed(document) as OpenApi, 'openapi');
  }

  /** Loads the document once per test file, from a separate service, because the tested service counts its requests. */
  static load(): Promise<DescribedAnswers> {
    DescribedAnswers.#loaded ??= readDocument().then((document) => new DescribedAnswers(document));
    return DescribedAnswers.#loaded;
  }

  /** Throws if the document does not describe the answer, or one of its properties. */
  check({ method, path, status, type, text }: GivenAnswer): void {
    const mediaType = (type ?? '').split(';')[0] as string;
    if (mediaType !== 'application/json' || text === '') return;
    const route = this.#routeOf(method, (path.split('?')[0] as string).replace(/(?<=.)\/$/, ''));
    if (status < 400 && route === undefined) return;
    const responses = route === undefined ? undefined : this.#document.paths[route.path]?.[route.method]?.responses;
    const key = [String(status), 'default'].find((name) => responses?.[name] !== undefined);
    const pointer =
      route === undefined || key === undefined
        ? ['components', 'schemas', 'Error']
        : ['paths', route.path, route.method, 'responses', key, 'content', mediaType, 'schema'];
    if (status < 400 && key !== String(status)) throw new Error(`${method} ${path}: ${status} is not described`);
    const validate = this.#ajv.getSchema(`openapi#/${pointer.map(escaped).join('/')}`);
    if (validate === undefined) throw new Error(`${method} ${path}: a body with ${status} is not described: ${text}`);
    if (validate(JSON.parse(text))) return;
    const wrong = this.#ajv.errorsText(validate.errors);
    throw new Error(`${method} ${path}: ${status} differs from the OpenAPI document: ${wrong}: ${text.slice(0, 2000)}`);
  }

  #routeOf(method: string, path: string): { path: string; method: string } | undefined {
    const given = path.split('/');
    const found = Object.entries(this.#document.paths)
      .filter(([, methods]) => methods[method.toLowerCase()] !== undefined)
      .map(([template]) => template)
      .filter((template) => {
        const wanted = template.split('/');
        return wanted.length === given.length && wanted.every((part, i) => part.startsWith('{') || part === given[i]);
      });
    // A literal path segment wins over a parameter, as in the router.
    const [best] = found.sort((a, b) => a.split('{').length - b.split('{').length);
    return best === undefined ? undefined : { path: best, method: method.toLowerCase() };
  }
}

async function readDocument(): Promise<OpenApi> {
  const settings: ServiceSettings = {
    ...defaultSettings(),
    listeners: [{ host: '127.0.0.1', port: 0 }],
    storage: { type: 'memory' },
  };
  const service = await startService({ settings, catalogs: [], threads: new FakeThreads(), logger: silentLogger });
  try {
    return (await (await fetch(`${service.urls[0]}/openapi.json`)).json()) as OpenApi;
  } finally {
    await service.close();
  }
}

/** Returns a copy of schemas whose objects have no other properties than those that are described. */
function closed(schemas: unknown): unknown {
  if (Array.isArray(schemas)) return schemas.map(closed);
  if (schemas === null || typeof schemas !== 'object') return schemas;
  const copy = Object.fromEntries(Object.entries(schemas).map(([key, value]) => [key, closed(value)]));
  const describes = copy.type === 'object' && typeof copy.properties === 'object';
  return describes ? { additionalProperties: false, ...copy } : copy;
}

function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}
