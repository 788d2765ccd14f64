import type { ConfigListing, Page, RunFilter, RunListing, Store, StoredConfig, StoredRun } from './store.ts';

/** A store that forgets everything when the process ends: for tests and trials. */
export class MemoryStore implements Store {
  readonly directory = undefined;
  readonly failure: string | undefined = undefined;
  readonly #configs = new Map<string, StoredConfig & { seq: number }>();
  readonly #runs = new Map<string, StoredRun & { seq: number }>();
  #lastSeq = 0;

  async addConfig(config: StoredConfig, max: number): Promise<boolean> {
    if (this.#configs.size >= max) return false;
    this.#configs.set(config.id, { ...config, seq: ++this.#lastSeq });
    return true;
  }

  async config(id: string): Promise<StoredConfig | undefined> {
    const found = this.#configs.get(id);
    if (found === undefined) return undefined;
    const { seq: _, ...config } = found;
    return config;
  }

  async configAnswer(id: string): Promise<string | undefined> {
    return this.#configs.get(id)?.answer;
  }

  async listConfigs(page: Page): Promise<ConfigListing[]> {
    return newestFirst(this.#configs, page).map(({ seq, id, digest, createdTime, createdBy }) => ({
      seq,
      id,
      digest,
      createdTime,
      createdBy,
    }));
  }

  async deleteConfig(id: string): Promise<boolean> {
    return this.#configs.delete(id);
  }

  async saveRun(run: StoredRun): Promise<void> {
    const seq = this.#runs.get(run.id)?.seq ?? ++this.#lastSeq;
    this.#runs.set(run.id, { ...run, seq });
  }

  async runDetails(id: string): Promise<string | undefined> {
    return this.#runs.get(id)?.details;
  }

  async listRuns(page: Page, { configId, status }: RunFilter = {}): Promise<RunListing[]> {
    const wanted = (run: StoredRun) =>
      (configId === undefined || run.configId === configId) && (status === undefined || run.status === status);
    return newestFirst(this.#runs, page, wanted).map(({ seq, id, details }) => ({ seq, id, details }));
  }

  async unfinishedRuns(): Promise<string[]> {
    return [...this.#runs.values()].filter((run) => !run.done).map((run) => run.details);
  }

  async trimRuns(max: number): Promise<boolean> {
    const excess = Math.max(0, this.#runs.size - max);
    const oldest = [...this.#runs.values()].filter((run) => run.done).slice(0, excess);
    for (const run of oldest) this.#runs.delete(run.id);
    return oldest.length > 0;
  }

  async probe(): Promise<void> {}

  async close(): Promise<void> {}
}

function newestFirst<T extends { seq: number }>(
  items: ReadonlyMap<string, T>,
  { before, limit }: Page,
  wanted: (item: T) => boolean = () => true,
): T[] {
  return [...items.values()]
    .filter((item) => (before === undefined || item.seq < before) && wanted(item))
    .sort((a, b) => b.seq - a.seq)
    .slice(0, limit);
}
