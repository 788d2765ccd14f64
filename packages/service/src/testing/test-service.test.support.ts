import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { RunDetails } from '../api/run-details.ts';
import type { RunIntervals } from '../runs/run-intervals.ts';
import { defaultSettings, type ServiceSettings } from '../settings/service-settings.ts';
import { type RunningService, type ServiceOptions, startService } from '../start-service.ts';
import { DescribedAnswers } from './described-answers.test.support.ts';
import { FakeThreads } from './fake-threads.test.support.ts';

/** A config without errors. It uses the components of `test-components.test.support.ts`. */
export const VALID = `
connectors: [{ name: files, class: Files, pipeline: main, password: hunter2 }]
pipelines: [{ name: main, stages: [{ class: Upper, source: title }] }]
indexer { type: Nowhere }
`;

/** Returns settings for a test: a free port, a store in memory, and three components. */
export function testSettings(over: Partial<ServiceSettings> = {}): ServiceSettings {
  return {
    ...defaultSettings(),
    listeners: [{ host: '127.0.0.1', port: 0 }],
    storage: { type: 'memory' },
    components: [new URL('./test-components.test.support.ts', import.meta.url).href],
    base: new URL('./', import.meta.url).href,
    ...over,
  };
}

/** An answer with its body. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON. */
  json: never;
}

interface Ask {
  method?: string;
  body?: string | Uint8Array | object;
  type?: string;
  auth?: string;
  headers?: Record<string, string>;
}

/** The messages that the service has logged. */
interface Log {
  infos: string[];
  warnings: string[];
}

/** A service in a test, with methods that send HTTP requests. */
export class TestService {
  readonly service: RunningService;
  readonly threads: FakeThreads;
  readonly log: Log;

  constructor(service: RunningService, threads: FakeThreads, log: Log) {
    this.service = service;
    this.threads = threads;
    this.log = log;
  }

  get url(): string {
    return this.service.urls[0] as string;
  }

  async ask(path: string, { method, body, type, auth, headers = {} }: Ask = {}): Promise<Answer> {
    const isJson = body !== undefined && typeof body === 'object' && !(body instanceof Uint8Array);
    const asked = method ?? (body === undefined ? 'GET' : 'POST');
    const response = await fetch(this.url + path, {
      method: asked,
      headers: {
        ...(isJson ? { 'content-type': 'application/json' } : {}),
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(auth === undefined ? {} : { authorization: `Basic ${Buffer.from(auth).toString('base64')}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as string) }),
    });
    const text = await response.text();
    const { status } = response;
    const described = await DescribedAnswers.load();
    described.check({ method: asked, path, status, type: response.headers.get('content-type'), text });
    return {
      status,
      headers: response.headers,
      text,
      get json(): never {
        return JSON.parse(text) as never;
      },
    };
  }

  /** Stores a config. Returns its id. */
  async store(text = VALID): Promise<string> {
    const answer = await this.ask('/v1/config', { body: text, type: 'application/hocon' });
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json as { configId: string }).configId;
  }

  /** Starts a run. Returns its details. */
  async run(configId: string, more: object = {}): Promise<RunDetails> {
    const answer = await this.ask('/v1/run', { body: { configId, ...more } });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json;
  }

  async details(runId: string): Promise<RunDetails> {
    return (await this.ask(`/v1/run/${runId}`)).json;
  }

  /** Waits until the run is done. Returns its details. */
  async ended(runId: string): Promise<RunDetails> {
    for (;;) {
      const details = await this.details(runId);
      if (details.done) return details;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Tests wait for the next save of a run, and for its events. */
const SHORT: RunIntervals = { save: 10, progress: 10, gather: 2 };

type Options = Omit<ServiceOptions, 'settings' | 'logger'>;

/** Starts a service that is closed at the end of the test. */
export async function testService(
  settings: Partial<ServiceSettings> = {},
  options: Options = {},
): Promise<TestService> {
  const started = await start(settings, options);
  onTestFinished(async () => {
    await started.service.close();
  });
  return started;
}

/**
 * Starts one service for all tests of a `describe` block or a file. Starting a service takes longer than most tests.
 * Use it for tests that work with anything that the others leave in the service.
 * @returns a function that returns the service in a test
 */
export function sharedService(settings: Partial<ServiceSettings> = {}, options: Options = {}): () => TestService {
  let started: TestService | undefined;
  beforeAll(async () => {
    started = await start(settings, options);
  });
  afterAll(async () => {
    await started?.service.close();
  });
  return () => started as TestService;
}

async function start(settings: Partial<ServiceSettings>, options: Options): Promise<TestService> {
  const threads = new FakeThreads();
  const log: Log = { infos: [], warnings: [] };
  const { silentLogger } = await import('../silent-logger.ts');
  const into =
    (lines: string[]) =>
    (...words: unknown[]) =>
      void lines.push(words.map(String).join(' '));
  const logger = { ...silentLogger, info: into(log.infos), warn: into(log.warnings) };
  const service = await startService({
    settings: testSettings(settings),
    catalogs: [],
    threads,
    logger,
    runIntervals: SHORT,
    ...options,
  });
  return new TestService(service, threads, log);
}
