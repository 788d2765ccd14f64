import { setTimeout as sleep } from 'node:timers/promises';
import type { KillReport } from './kills.ts';
import { mustEqual } from './must-equal.ts';
import type { Random } from './random.ts';

/** The number of failed documents in a failing run: all its documents. */
const FAILING = 20;
/** How many older configs and runs are checked after each kill. At the end, all are checked. */
const SAMPLE = 20;

const config = (documents: number, stages: string, note = '') => `note: "${note}"
connectors: [{class: SequenceConnector, name: c, pipeline: p, numDocs: ${documents}}]
pipelines: [{name: p, stages: [${stages}]}]
indexer { class: NopIndexer }`;

const CONFIGS = {
  small: config(1, ''),
  failing: config(
    FAILING,
    '{class: SetStaticValues, staticValues: {a: "no JSON"}}, {class: ParseJson, src: a, jsonFieldPaths: {b: "$.b"}}',
  ),
  endless: config(2_000_000_000, '{class: SetStaticValues, staticValues: {a: 1}}'),
};

interface Details {
  runId: string;
  done: boolean;
  status: string;
  endTime: number | null;
  labels: Record<string, string>;
  progress: Record<'published' | 'created' | 'pending' | 'succeeded' | 'failed' | 'dropped', number>;
}

interface RequestedRun {
  configId: keyof typeof CONFIGS;
  key: string;
}

interface AcknowledgedRun extends RequestedRun {
  /** The details of the finished run, if a client saw them. */
  end?: Details;
}

interface Named {
  version: number;
  /** The note in the config text, or undefined if its upload was not acknowledged. */
  note: string | undefined;
}

/** Records what a service has acknowledged, and checks that the service still has it. */
export class KillLedger {
  /** The number of acknowledged operations. */
  operations = 0;
  /** The note of each config by id, or undefined for a deleted config. */
  readonly #configs = new Map<string, string | undefined>();
  /** The configs by name. */
  readonly #named = new Map<string, Named>();
  readonly #runs = new Map<string, AcknowledgedRun>();
  /** Run requests without a response. */
  readonly #unansweredRuns = new Map<string, RequestedRun>();
  /** The configs and runs that were acknowledged since the last check. */
  #fresh = { configs: new Set<string>(), runs: new Set<string>() };
  #unanswered = 0;
  #interrupted = 0;
  #number = 0;

  /** Uploads the configs of the runs. */
  async prepare(url: string): Promise<void> {
    for (const [name, text] of Object.entries(CONFIGS)) await put(url, name, text, []);
  }

  /** Sends one random client operation. Rejects with a TypeError if the service is gone. */
  async operate(url: string, client: number, random: Random): Promise<void> {
    const draw = random.below(10);
    if (draw < 3) await this.#upload(url, random);
    else if (draw < 5) await this.#replace(url, `client${client}`);
    else if (draw < 7) await this.#run(url, 'small', random);
    else if (draw < 8) await this.#run(url, 'failing', random);
    else if (draw < 9) await this.#cancelled(url);
    else await this.#delete(url, random);
    this.operations++;
  }

  /** Checks everything new, and a sample of the older entries. */
  async verify(url: string, random: Random): Promise<void> {
    const { configs, runs } = this.#fresh;
    const old = { configs: [...this.#configs.keys()], runs: [...this.#runs.keys()] };
    for (let i = 0; i < SAMPLE && old.configs.length > 0 && old.runs.length > 0; i++) {
      configs.add(old.configs[random.below(old.configs.length)] as string);
      runs.add(old.runs[random.below(old.runs.length)] as string);
    }
    await this.#verify(url, configs, runs);
    this.#fresh = { configs: new Set(), runs: new Set() };
  }

  async verifyAll(url: string): Promise<void> {
    await this.#verify(url, this.#configs.keys(), this.#runs.keys());
    const listed = (await ask(`${url}/v1/run`)) as Details[];
    this.#interrupted = listed.filter(({ status }) => status === 'INTERRUPTED').length;
  }

  report(): Omit<KillReport, 'kills'> {
    const texts = [...this.#configs.values()];
    return {
      uploads: texts.length,
      deletions: texts.filter((text) => text === undefined).length,
      versions: [...this.#named.values()].reduce((sum, { version }) => sum + version, 0),
      runs: this.#runs.size,
      ends: [...this.#runs.values()].filter(({ end }) => end !== undefined).length,
      interrupted: this.#interrupted,
      unanswered: this.#unanswered,
    };
  }

  async #upload(url: string, random: Random): Promise<void> {
    const note = `upload ${this.#number++} ${'x'.repeat(random.below(4000))}`;
    const headers = { 'content-type': 'application/hocon' };
    const body = config(1, '', note);
    const { configId } = (await ask(`${url}/v1/config`, { method: 'POST', headers, body })) as { configId: string };
    this.#configs.set(configId, note);
    this.#fresh.configs.add(configId);
  }

  async #replace(url: string, name: string): Promise<void> {
    const note = `${name}, ${this.#number++}`;
    const { version } = await put(url, name, config(1, '', note), [['label', `note:${note}`]]);
    this.#named.set(name, { version, note });
  }

  async #delete(url: string, random: Random): Promise<void> {
    const there = [...this.#configs].filter(([, note]) => note !== undefined);
    const [id, note] = there[random.below(there.length)] ?? [];
    if (id === undefined) return;
    // Without a response the deletion is uncertain, and another client may have deleted the config.
    this.#configs.delete(id);
    this.#fresh.configs.delete(id);
    const answer = await fetch(`${url}/v1/config/${id}`, { method: 'DELETE' });
    if (!answer.ok) throw new Error(`DELETE of ${note}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
    this.#configs.set(id, undefined);
    this.#fresh.configs.add(id);
  }

  async #run(url: string, configId: RequestedRun['configId'], random: Random): Promise<void> {
    const { runId } = await this.#start(url, configId);
    // Half of the clients wait for the end of the run.
    if (random.below(2) === 0) return;
    for (;;) {
      const details = await detailsOf(url, runId);
      if (!details.done) {
        await sleep(5);
        continue;
      }
      (this.#runs.get(runId) as AcknowledgedRun).end = details;
      return;
    }
  }

  async #cancelled(url: string): Promise<void> {
    const { runId } = await this.#start(url, 'endless');
    const details = (await ask(`${url}/v1/run/${runId}/cancel`, { method: 'POST' })) as Details;
    if (details.done) (this.#runs.get(runId) as AcknowledgedRun).end = details;
  }

  async #start(url: string, configId: RequestedRun['configId']): Promise<Details> {
    const key = `key-${this.#number++}`;
    const asked = { configId, key };
    this.#unansweredRuns.set(key, asked);
    const details = await startRun(url, asked);
    this.#unansweredRuns.delete(key);
    this.#runs.set(details.runId, asked);
    this.#fresh.runs.add(details.runId);
    return details;
  }

  async #verify(url: string, configs: Iterable<string>, runs: Iterable<string>): Promise<void> {
    await atOnce(configs, (id) => this.#verifyConfig(url, id));
    await atOnce(this.#named, ([name, acknowledged]) => this.#verifyNamed(url, name, acknowledged));
    await atOnce(runs, (id) => this.#verifyRun(url, id));
    await atOnce(this.#unansweredRuns.values(), async (asked) => {
      // The run may or may not have started. Repeating the request must return one run.
      const { runId, done } = await startRun(url, asked);
      mustEqual((await runsLabelled(url, asked.key)).length, 1, `runs of the key ${asked.key}`);
      this.#unanswered++;
      this.#runs.set(runId, asked);
      // An endless run would occupy a run slot forever.
      if (asked.configId === 'endless' && !done) await ask(`${url}/v1/run/${runId}/cancel`, { method: 'POST' });
    });
    this.#unansweredRuns.clear();
  }

  async #verifyConfig(url: string, id: string): Promise<void> {
    const note = this.#configs.get(id);
    const answer = await fetch(`${url}/v1/config/${id}`);
    const found = (await answer.json()) as { note?: string };
    mustEqual(answer.status, note === undefined ? 404 : 200, `config ${id} (${note ?? 'deleted'})`);
    if (note !== undefined) mustEqual(found.note, note, `the note of config ${id}`);
  }

  async #verifyNamed(url: string, name: string, acknowledged: Named): Promise<void> {
    const { items } = (await ask(`${url}/v1/config/${name}/versions?limit=1`)) as { items: { version: number }[] };
    const version = items[0]?.version ?? 0;
    // A newer version was stored without a response, because the client sends one request at a time.
    if (version === acknowledged.version + 1) {
      this.#named.set(name, { version, note: undefined });
      return;
    }
    const { note } = acknowledged;
    mustEqual(version, acknowledged.version, `the version of ${name}`);
    if (note === undefined) return;
    const found = (await ask(`${url}/v1/config/${name}`)) as { note: string };
    mustEqual(found.note, note, `the note of ${name}`);
    const query = new URLSearchParams({ label: `note:${note}` });
    const { items: labelled } = (await ask(`${url}/v1/config?limit=10&${query}`)) as { items: { name: string }[] };
    const names = labelled.map((item) => item.name);
    mustEqual(names, [name], `configs labelled ${note}`);
  }

  async #verifyRun(url: string, runId: string): Promise<void> {
    const run = this.#runs.get(runId) as AcknowledgedRun;
    const details = await detailsOf(url, runId);
    const { published, created, pending, succeeded, failed, dropped } = details.progress;
    mustEqual(details.labels, { key: run.key }, `the labels of run ${runId}`);
    mustEqual((await startRun(url, run)).runId, runId, `the run of the key ${run.key}`);
    if (run.end !== undefined) mustEqual(details, run.end, `run ${runId}, whose end was seen`);
    // A run whose request was repeated after a kill may still be running.
    if (!details.done) return;
    mustEqual([pending, published + created], [0, succeeded + failed + dropped], `the accounts of run ${runId}`);
    if (details.status !== 'SUCCEEDED' || run.configId !== 'failing') return;
    const { items } = (await ask(`${url}/v1/run/${runId}/failures?limit=1000`)) as { items: unknown[] };
    mustEqual([failed, items.length], [FAILING, FAILING], `the failed documents of run ${runId}`);
  }
}

/** Works on several items at a time. */
async function atOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].values();
  const worker = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

async function put(url: string, name: string, body: string, query: [string, string][]): Promise<{ version: number }> {
  const headers = { 'content-type': 'application/hocon' };
  return (await ask(`${url}/v1/config/${name}?${new URLSearchParams(query)}`, {
    method: 'PUT',
    headers,
    body,
  })) as { version: number };
}

async function startRun(url: string, { configId, key }: RequestedRun): Promise<Details> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const body = JSON.stringify({ configId, labels: { key } });
  return (await ask(`${url}/v1/run`, { method: 'POST', headers, body })) as Details;
}

async function detailsOf(url: string, runId: string): Promise<Details> {
  return (await ask(`${url}/v1/run/${runId}`)) as Details;
}

async function runsLabelled(url: string, key: string): Promise<Details[]> {
  return ((await ask(`${url}/v1/run?limit=10&label=key:${key}`)) as { items: Details[] }).items;
}

async function ask(url: string, request?: RequestInit): Promise<unknown> {
  const answer = await fetch(url, request);
  const text = await answer.text();
  // A busy machine was too slow to read a config. Nothing has happened, and the request may be repeated.
  if (answer.status === 408) return ask(url, request);
  if (!answer.ok) throw new Error(`${request?.method ?? 'GET'} ${url}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
