import { BroadcastChannel } from 'node:worker_threads';
import { catalogUrl } from '@headrace/components';
import { type RegistrySource, type RunHandle, type RunResult, readConfigText } from '@headrace/engine';
import { RunLauncher } from '@headrace/engine/threads';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { Command, Report } from './transport-components.test.lib.ts';

const MODULE = './transport-components.test.lib.ts';
export const registry: RegistrySource = {
  catalogs: [catalogUrl],
  modules: [MODULE],
  base: new URL('.', import.meta.url).href,
  allowModules: true,
};

/** A run whose documents a transport carries from the connector to the stages and to the indexer. */
export interface CarriedRun {
  /** The run that has the accounts. */
  readonly handle: RunHandle;
  /** Ends the run. */
  close(): Promise<void>;
}

/** A transport of the engine. */
export interface Transport {
  /** Starts a run of the config. All runs of a transport have the same config, with one pipeline. */
  start(launcher: RunLauncher, config: string, pipeline: string): CarriedRun;
  /** Ends what the runs share. */
  close(): Promise<void>;
  /** Whether documents that the destination gives back are delivered again in the same run. */
  readonly deliversAgain: boolean;
}

/** The documents of a config, as the connector, the stages and the indexer of a run see them. */
class Run {
  readonly #channel: BroadcastChannel;
  readonly #run: CarriedRun;
  readonly batches: { readonly number: number; readonly documents: readonly Record<string, unknown>[] }[] = [];
  readonly steps: string[] = [];
  #answersAll = false;

  constructor(run: CarriedRun, channel: BroadcastChannel) {
    this.#channel = channel;
    this.#run = run;
    channel.onmessage = ({ data }) => {
      const report = data as Report | Command;
      if (!('from' in report)) return;
      if (report.from === 'connector') this.steps.push(report.is);
      else {
        const documents = report.documents.map((json) => JSON.parse(json) as Record<string, unknown>);
        this.batches.push({ number: report.batch, documents });
        if (this.#answersAll) this.answer(this.batches.length - 1);
      }
    };
  }

  get documents(): Record<string, unknown>[] {
    return this.batches.flatMap(({ documents }) => documents);
  }

  get ids(): unknown[] {
    return this.documents.map(({ id }) => id);
  }

  async publish(documents: readonly object[]): Promise<void> {
    const before = this.steps.filter((step) => step === 'published').length;
    const publish = documents.map((document) => JSON.stringify(document));
    this.#channel.postMessage({ to: 'connector', publish } satisfies Command);
    await expect.poll(() => this.steps.filter((step) => step === 'published').length).toBe(before + 1);
  }

  /** Answers all batches that have arrived or will arrive. */
  answerAll(): void {
    this.#answersAll = true;
    for (const index of this.batches.keys()) this.answer(index);
  }

  /** Answers a batch that has arrived. */
  answer(index: number, refuse?: 'document' | 'everything'): void {
    const batch = this.batches[index]?.number as number;
    this.#channel.postMessage({ to: 'indexer', batch, ...(refuse === undefined ? {} : { refuse }) } satisfies Command);
  }

  end(): void {
    this.#channel.postMessage({ to: 'connector', end: true } satisfies Command);
  }

  async result(): Promise<RunResult> {
    return this.#run.handle.done;
  }

  get handle(): RunHandle {
    return this.#run.handle;
  }

  async close(): Promise<void> {
    // Nothing may wait for an answer any more.
    this.answerAll();
    await this.#run.close();
    this.#channel.close();
  }
}

const BATCH_SIZE = 4;

/** Returns documents with these numbers. */
function numbered(count: number, fields: object = {}): { id: string }[] {
  return Array.from({ length: count }, (_, i) => ({ id: `d${i}`, ...fields }));
}

/** Defines the tests that each transport must pass. */
export function defineTransportContract(name: string, open: () => Transport): void {
  describe(`the transport of documents (${name})`, () => {
    const launcher = new RunLauncher({ heapMb: 256, youngMb: 6, keepWarm: false, lanes: 1 });
    const transport = open();
    const pipeline = `p-${crypto.randomUUID().slice(0, 8)}`;
    const config = `
      connectors: [{ class: CommandedConnector, name: c, pipeline: "${pipeline}", channel: "${pipeline}" }]
      pipelines: [{ name: "${pipeline}", stages: [
        { class: FailBad }
        { class: CreateChildrenStage, numChildren: 2, dropChild: 1, conditions: [{ fields: [parent] }] }
        { class: DropDocument, conditions: [{ fields: [unwanted] }] }
      ] }]
      worker.threads: 1
      indexer { class: CommandedIndexer, batchSize: ${BATCH_SIZE}, batchTimeout: 20 }
      commanded { channel: "${pipeline}" }`;
    let run: Run | undefined;
    afterEach(async () => {
      await run?.close();
      run = undefined;
    });
    afterAll(async () => {
      await transport.close();
      await launcher.close();
    });

    async function start(): Promise<Run> {
      const channel = new BroadcastChannel(pipeline);
      run = new Run(transport.start(launcher, config, pipeline), channel);
      await expect.poll(() => run?.steps).toContain('executing');
      return run;
    }

    it('carries each document once, with all kinds of values, in order', async () => {
      const carried = await start();
      carried.answerAll();
      const values = {
        text: 'a\nb\u001fc 😀',
        empty: '',
        n: 1,
        real: 1.5,
        yes: true,
        nothing: null,
        list: [1, 'two', null],
      };
      const documents = numbered(25, { ...values, nested: { deep: [{ x: 1 }] } });
      await carried.publish(documents);
      carried.end();
      expect((await carried.result()).counts).toMatchObject({ published: 25, succeeded: 25, failed: 0, dropped: 0 });
      expect(carried.documents.map(({ run_id: _, ...rest }) => rest)).toEqual(documents);
    });

    it('fills batches up to the limit of the indexer, and sends an incomplete batch after its time', async () => {
      const carried = await start();
      carried.answerAll();
      await carried.publish(numbered(10));
      await expect.poll(() => carried.ids).toHaveLength(10);
      for (const { documents } of carried.batches) expect(documents.length).toBeLessThanOrEqual(BATCH_SIZE);
      carried.end();
      expect((await carried.result()).counts.succeeded).toBe(10);
    });

    it('settles documents, and ends the run, only after the destination has acknowledged them', async () => {
      const carried = await start();
      await carried.publish(numbered(2 * BATCH_SIZE));
      await expect.poll(() => carried.batches).toHaveLength(1);
      carried.end();
      carried.answer(0);
      await expect.poll(() => carried.batches).toHaveLength(2);
      expect(carried.steps).not.toContain('settled');
      expect(carried.handle.progress().connectors[0]?.status).toBe('running');
      carried.answer(1);
      expect((await carried.result()).counts).toMatchObject({ published: 8, succeeded: 8 });
      await expect.poll(() => carried.steps).toContain('settled');
    });

    it('reports each result: children, dropped documents, failures of stages and of the indexer', async () => {
      const carried = await start();
      await carried.publish([
        { id: 'good' },
        { id: 'wrong', bad: 1 },
        { id: 'gone', unwanted: 1 },
        { id: 'family', parent: 1 },
      ]);
      await expect.poll(() => carried.ids.length).toBeGreaterThan(0);
      carried.end();
      carried.answer(0, 'document');
      carried.answerAll();
      const { counts, problems } = await carried.result();
      const { published, created, succeeded, failed, dropped } = counts;
      expect({ published, created, failed }).toEqual({ published: 4, created: 2, failed: 2 });
      expect(dropped).toBe(2);
      expect(succeeded).toBe(2);
      expect(problems.map(({ message }) => message).join('\n')).toContain('wrong');
    });

    it('does not lose documents that the destination gives back', async () => {
      const carried = await start();
      await carried.publish(numbered(3));
      await expect.poll(() => carried.ids).toHaveLength(3);
      carried.answer(0, 'everything');
      if (transport.deliversAgain) {
        await expect.poll(() => carried.ids).toHaveLength(6);
        expect(carried.steps).not.toContain('settled');
        carried.answerAll();
        await expect.poll(() => carried.steps).toContain('settled');
        carried.end();
        expect((await carried.result()).counts).toMatchObject({ published: 3, succeeded: 3, failed: 0 });
      } else {
        // The connector does not mark them as read, and delivers them in the next run.
        await expect.poll(() => carried.steps).toContain('unsettled');
        carried.end();
        expect((await carried.result()).counts).toMatchObject({ published: 3, succeeded: 0, failed: 3 });
      }
    });

    it('ends a run without documents', async () => {
      const carried = await start();
      carried.end();
      const { status, counts } = await carried.result();
      expect(status).toBe('SUCCEEDED');
      expect(counts.published).toBe(0);
    });

    it('counts every document of a run that is stopped with work in progress', async () => {
      const carried = await start();
      await carried.publish(numbered(20));
      await expect.poll(() => carried.batches).toHaveLength(1);
      carried.handle.stop('CANCELLED');
      carried.answerAll();
      const { status, counts } = await carried.result();
      expect(status).toBe('CANCELLED');
      const { published, created, succeeded, failed, dropped } = counts;
      expect(published).toBe(20);
      expect(succeeded + failed + dropped).toBe(published + created);
    });
  });
}

/** Returns a config as the engine reads it. */
export function rootOf(text: string) {
  const { root, problems } = readConfigText(text);
  if (root === undefined || problems.length > 0) throw new Error(JSON.stringify(problems));
  return root;
}
