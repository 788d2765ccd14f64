import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedCatalogs } from '@headrace/components';
import {
  checkConfigAccess,
  type Problem,
  type RunRequest,
  type RunResult,
  readConfigText,
  writeFailureLine,
} from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';

export type Fields = Record<string, unknown>;

/** An engine that an indexer writes to, with the functions that the tests need. */
export interface EngineUnderTest {
  /** Returns the config of the indexer, for an engine at a URL that may be that of a proxy. */
  config(url: string, target: string, settings: string, more: string): string;
  /** Creates an empty index, core or collection in which `n_i` is an integer. Returns its name. */
  create(): Promise<string>;
  /** Returns the documents as the engine needs them, such as with vectors. `contents` returns them as they were. */
  prepare?(documents: readonly Fields[]): readonly Fields[];
  /** Returns the documents by id, without the fields that the engine adds and without the id of the run. */
  contents(target: string): Promise<Record<string, Fields>>;
}

const REGISTRY = { catalogs: installedCatalogs(), modules: [], base: import.meta.url, allowModules: false };

/** Starts runs that send documents to an engine. */
export class EngineRuns {
  /** Local runs take half of the processor time. The tests are about indexers, which run the same code in a thread. */
  readonly #threads = new RunLauncher({ heapMb: 256, keepWarm: false, isLocal: true });
  readonly #directory = mkdtempSync(join(tmpdir(), 'headrace-indexers-'));
  readonly #engine: EngineUnderTest;
  /** The failed documents of the last run, in the form for a retry. */
  failed: string[] = [];
  #runs = 0;

  constructor(engine: EngineUnderTest) {
    this.#engine = engine;
  }

  /**
   * Sends documents to an index, and resolves with the result.
   * @param settings further settings of the block `indexer`
   * @param more further settings of the indexer's own block
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
    const prepared = this.#engine.prepare?.(documents) ?? documents;
    writeFileSync(path, prepared.map((document) => `${JSON.stringify(document)}\n`).join(''));
    const config = `connectors: [{class: JSONConnector, name: c, pipeline: p, jsonPath: "${path}"}]
      pipelines: [{name: p, stages: [${stages}]}]
      worker.threads: 1
      indexer { batchTimeout: 50 }
      ${this.#engine.config(url, target, settings, more)}`;
    const { root, problems } = readConfigText(config);
    if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
    this.failed = [];
    const onFailures = (failures: Parameters<typeof writeFailureLine>[0][]) => {
      this.failed.push(...failures.map(writeFailureLine));
    };
    const run = this.#threads.start(
      { runId: `run-${this.#runs}`, root, registry: REGISTRY, ...request },
      { onFailures },
    );
    const result = await run.done;
    const { published, created, succeeded, failed, dropped } = result.counts;
    if (published + created !== succeeded + failed + dropped)
      throw new Error(`The document counts of ${target} do not add up`);
    return result;
  }

  /** Returns what `validate --connect` says about the config of an indexer. */
  async checkAccess(indexer: string): Promise<Problem[]> {
    const { root } = readConfigText(`connectors: [{ class: SequenceConnector, name: c, pipeline: p, numDocs: 1 }]
      pipelines: [{ name: p, stages: [] }]
      ${indexer}`);
    if (root === undefined) throw new Error('The config is not an object');
    return checkConfigAccess({ root, registry: REGISTRY, trusted: true }, new AbortController().signal);
  }

  async close(): Promise<void> {
    await this.#threads.close();
    rmSync(this.#directory, { recursive: true });
  }
}

/** Returns the parts of a result that the tests check: the number of successful documents, and the failures. */
export function outcome({ status, message, counts, failures }: RunResult) {
  return {
    status: status === 'SUCCEEDED' ? status : `${status}: ${message}`,
    succeeded: counts.succeeded,
    failed: Object.fromEntries(failures.map(({ id, failure }) => [id, failure.message])),
  };
}

/** Returns documents by id, in the form of `contents`. */
export function byId(documents: readonly Fields[]): Record<string, Fields> {
  return Object.fromEntries(documents.map((document) => [document.id as string, document]));
}

/** Returns this number of documents. */
export function numbered(count: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({ id: `d${i}`, n_i: i, t_s: `text ${i}` }));
}

/** Returns this number of versions of a few documents, including deletes. */
export function versions(count: number): Fields[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `d${i % 23}`,
    ...(i % 5 === 4 ? { del_s: 'yes' } : { n_i: i }),
  }));
}

/** The settings with which these deletes are recognized. */
export const DELETES = 'deletionMarkerField: del_s, deletionMarkerFieldValue: "yes"';

/** Returns the remaining documents after all versions, by id. */
export function lastOf(documents: readonly Fields[]): Record<string, Fields> {
  return Object.fromEntries(Object.entries(byId(documents)).filter(([, document]) => !('del_s' in document)));
}

/** Settings for fast retries. */
export const QUICK = 'maxRetries: 5, retryWaitDurationMs: 10, retryMaxWaitDurationMs: 50';
