import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { type RunRequest, type RunResult, readConfigText, writeFailureLine } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';

/** As the build has written it: threads load what was built. */

export type Fields = Record<string, unknown>;

/** A kind of engine that an indexer writes to, as the tests need it. */
export interface EngineUnderTest {
  /** The config of the indexer, for the engine at an address that may be a proxy's. */
  config(url: string, target: string, settings: string, more: string): string;
  /** Makes an empty index, core or collection; returns its name. In it `n_i` is an integer. */
  create(): Promise<string>;
  /** What is in it, by id; without what the engine adds, and without the id of the run. */
  contents(target: string): Promise<Record<string, Fields>>;
}

/** Runs that send documents to an engine. */
export class EngineRuns {
  readonly #threads = new RunLauncher({ heapMb: 256, keepWarm: true });
  readonly #directory = mkdtempSync(join(tmpdir(), 'headrace-indexers-'));
  readonly #engine: EngineUnderTest;
  /** The failed documents of the last run, as a retry takes them. */
  failed: string[] = [];
  #runs = 0;

  constructor(engine: EngineUnderTest) {
    this.#engine = engine;
  }

  /**
   * Sends documents to an index, and resolves with the result.
   * @param settings of the block `indexer`
   * @param more of the block of the indexer
   */
  async send(
    url: string,
    target: string,
    documents: readonly Fields[],
    settings = '',
    more = '',
    stages = '',
    request: Partial<RunRequest> = {},
  ): Promise<RunResult> {
    const path = join(this.#directory, `${++this.#runs}.jsonl`);
    writeFileSync(path, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
    const config = `connectors: [{class: JSONConnector, name: c, pipeline: p, jsonPath: "${path}"}]
      pipelines: [{name: p, stages: [${stages}]}]
      worker.threads: 1
      indexer { batchTimeout: 50 }
      ${this.#engine.config(url, target, settings, more)}`;
    const { root, problems } = readConfigText(config);
    if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
    const registry = { catalogs: [catalogUrl], modules: [], base: import.meta.url, allowModules: false };
    this.failed = [];
    const onFailures = (failures: Parameters<typeof writeFailureLine>[0][]) => {
      this.failed.push(...failures.map(writeFailureLine));
    };
    const run = this.#threads.start({ runId: `run-${this.#runs}`, root, registry, ...request }, { onFailures });
    const result = await run.done;
    const { published, created, succeeded, failed, dropped } = result.counts;
    if (published + created !== succeeded + failed + dropped)
      throw new Error(`The accounts of ${target} do not add up`);
    return result;
  }

  async close(): Promise<void> {
    await this.#threads.close();
    rmSync(this.#directory, { recursive: true });
  }
}

/** What of a result the tests look at: how many got through, and what failed and why. */
export function outcome({ status, message, counts, failures }: RunResult) {
  return {
    status: status === 'SUCCEEDED' ? status : `${status}: ${message}`,
    succeeded: counts.succeeded,
    failed: Object.fromEntries(failures.map(({ id, failure }) => [id, failure.message])),
  };
}

/** Documents by their id, as they are to be found. */
export function byId(documents: readonly Fields[]): Record<string, Fields> {
  return Object.fromEntries(documents.map((document) => [document.id as string, document]));
}

/** So many documents. */
export function numbered(count: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({ id: `d${i}`, n_i: i, t_s: `text ${i}` }));
}

/** So many versions of a few documents, among them deletes. */
export function versions(count: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i % 23}`,
    ...(i % 5 === 4 ? { del_s: 'yes' } : { n_i: i }),
  }));
}

/** Settings with which such deletes are deletes. */
export const DELETES = 'deletionMarkerField: del_s, deletionMarkerFieldValue: "yes"';

/** What is left of versions, by id. */
export function lastOf(documents: readonly Fields[]): Record<string, Fields> {
  return Object.fromEntries(Object.entries(byId(documents)).filter(([, document]) => !('del_s' in document)));
}

/** Settings with which retries take no time to speak of. */
export const QUICK = 'maxRetries: 5, retryWaitDurationMs: 10, retryMaxWaitDurationMs: 50';
