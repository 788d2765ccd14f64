import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningService, readServiceFile, type ServiceSettings, startService } from '@headrace/service';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { finished, type RunDetails, startRun, upload } from './served.ts';

/** The response to a request. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/**
 * A service with the strict policy, which may read and write only the folder `open`. Every attack on it must be
 * rejected. After each test, another run must succeed and the probe must answer.
 */
export class HostileGuest {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'headrace-hostile-')));
  readonly open = join(this.directory, 'open');
  #service: RunningService | undefined;
  readonly #limits: Partial<ServiceSettings['limits']>;
  readonly #policy: string;

  /** @param policy additions to the policy, in YAML */
  constructor(limits: Partial<ServiceSettings['limits']> = {}, policy = '') {
    this.#limits = limits;
    this.#policy = policy;
    beforeAll(() => this.#start());
    afterEach(() => this.#isWell());
    afterAll(async () => {
      await this.#service?.close();
      rmSync(this.directory, { recursive: true, force: true });
    });
  }

  get url(): string {
    return (this.#service as RunningService).urls[0] as string;
  }

  async post(path: string, body: string, type = 'application/hocon'): Promise<Answer> {
    const response = await fetch(this.url + path, { method: 'POST', headers: { 'content-type': type }, body });
    return { status: response.status, text: await response.text() };
  }

  /** Uploads a config and runs it. Returns the details of the finished run and all text that the service reports. */
  async run(config: string): Promise<RunDetails & { reported: string }> {
    const { runId } = await startRun(this.url, await upload(this.url, config));
    const details = await finished(this.url, runId);
    return { ...details, reported: JSON.stringify(details) };
  }

  async #start(): Promise<void> {
    mkdirSync(this.open);
    const file = join(this.directory, 'service.yml');
    writeFileSync(
      file,
      `server: { host: 127.0.0.1, port: 0 }
storage: { path: ${this.directory}/store }
policy: { base: strict, read: [${this.open}], write: [${this.open}]${this.#policy === '' ? '' : `, ${this.#policy}`} }
`,
    );
    const { settings, problems } = await readServiceFile(file);
    if (settings === undefined) throw new Error(JSON.stringify(problems));
    const limits = { ...settings.limits, minFreeDiskMb: 0, ...this.#limits };
    this.#service = await startService({ settings: { ...settings, limits } });
  }

  /** Throws unless the service still works. */
  async #isWell(): Promise<void> {
    const { status, progress } = await this.run(modest());
    expect(status).toBe('SUCCEEDED');
    expect(progress.succeeded).toBe(3);
    expect((await fetch(`${this.url}/v1/livez`)).status).toBe(200);
    expect((await fetch(`${this.url}/v1/readyz`)).status).toBe(200);
  }
}

/** Returns a harmless config with replaced parts. */
export function modest(parts: { connector?: string; stages?: string; indexer?: string; top?: string } = {}): string {
  const {
    connector = 'class: SequenceConnector, numDocs: 3',
    stages = '',
    indexer = 'class: NopIndexer',
    top = '',
  } = parts;
  return `connectors: [{name: c, pipeline: p, ${connector}}]
pipelines: [{name: p, stages: [${stages}]}]
indexer { ${indexer} }
${top}`;
}
