import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StubServer } from '@headrace/testing/stub-server';
import { expect } from 'vitest';

const BINARY = fileURLToPath(new URL('../../headrace/bin/headrace.js', import.meta.url));
/** The folder in which modules of custom components find the package `headrace`. */
const PACKAGES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** A document that the destination has received. */
export interface Indexed {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** Returns a text of this length that compression makes hardly shorter. */
export function incompressible(length: number): string {
  return randomBytes(length).toString('base64').slice(0, length);
}

/** A running command of `headrace`. */
export class HeadraceProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  /** The exit code; null if a signal has ended it. */
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], folder: string) {
    this.child = spawn(process.execPath, [BINARY, ...args], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  get output(): string {
    return this.stdout + this.stderr;
  }

  /** The summary without times and without the fixed text around it. */
  get summary(): string {
    return this.stdout.replaceAll(/Time: [\d.]+ secs\.|Run took [\d.]+ secs\./g, '').trim();
  }

  /** Waits until a condition is true. Fails if this process ends first. */
  async until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
    await expect
      .poll(async () => {
        if (await isTrue()) return 'reached';
        return this.isRunning ? 'waiting' : `The process has ended: ${this.output.slice(-3000)}`;
      })
      .not.toBe('waiting');
    if (!(await isTrue())) throw new Error(`The process has ended: ${this.output.slice(-3000)}`);
  }

  /** Waits until the process has written a text. */
  says(what: string | RegExp): Promise<void> {
    return this.until(() => (typeof what === 'string' ? this.output.includes(what) : what.test(this.output)));
  }

  async signal(signal: NodeJS.Signals): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** The environment of a distributed run: a folder, a destination, and names that no other test uses. */
export class DistributedSetup {
  readonly folder = mkdtempSync(join(tmpdir(), 'headrace-distributed-'));
  /** The suffix of all names of this test: topics, groups and runs. */
  readonly suffix = crypto.randomUUID().slice(0, 8);
  readonly group = `group-${this.suffix}`;
  readonly broker: string;
  readonly destination: StubServer;
  /** The documents, in the order in which they arrived. */
  readonly indexed: Indexed[] = [];
  #held: Promise<void> = Promise.resolve();
  #onHeld: (() => void) | undefined;
  readonly #processes: HeadraceProcess[] = [];
  #onBlockedAccess: (() => void) | undefined;

  private constructor(broker: string, destination: StubServer) {
    this.broker = broker;
    this.destination = destination;
    symlinkSync(PACKAGES, join(this.folder, 'node_modules'));
  }

  static async open(broker: string): Promise<DistributedSetup> {
    const destination = await StubServer.start(() => undefined);
    const setup = new DistributedSetup(broker, destination);
    destination.handle(async ({ body }, response) => {
      destination.requests.length = 0;
      // Processes send an empty request to check that the destination answers.
      if (body !== '') {
        setup.#onHeld?.();
        await setup.#held;
      }
      if (body !== '' && setup.#onBlockedAccess !== undefined) {
        setup.#onBlockedAccess();
        response.writeHead(503).end();
        return;
      }
      for (const line of body.split('\n')) if (line !== '') setup.indexed.push(JSON.parse(line) as Indexed);
      response.end();
    });
    return setup;
  }

  /** Ends all processes, and removes the files. Keeps what they printed in the folder HEADRACE_TEST_OUTPUT, if it is set. */
  async close(): Promise<void> {
    for (const one of this.#processes) if (one.isRunning) one.child.kill('SIGKILL');
    await Promise.all(this.#processes.map(({ ended }) => ended));
    const dump = process.env['HEADRACE_TEST_OUTPUT'];
    if (dump !== undefined) {
      for (const [i, { output }] of this.#processes.entries())
        writeFileSync(join(dump, `${this.suffix}-${i}.log`), output);
    }
    await this.destination.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns a name with the suffix of this test. */
  name(name: string): string {
    return `${name}-${this.suffix}`;
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  /** Returns whether a file exists in the folder. */
  has(name: string): boolean {
    return existsSync(join(this.folder, name));
  }

  /** Writes a file of documents, one on each line. */
  writeLines(name: string, documents: readonly object[]): void {
    this.write(name, documents.map((document) => `${JSON.stringify(document)}\n`).join(''));
  }

  /**
   * Writes a config with a destination and a `kafka` block.
   * @param text the connectors and pipelines
   * @param kafka further settings of the `kafka` block
   */
  writeConfig(text: string, kafka = '', name = 'run.conf'): void {
    this.write(
      name,
      `${text}
       indexer { type: HTTP, batchSize: 100 }
       http { url: "${this.destination.url}/" }
       kafka { bootstrapServers: "${this.broker}", consumerGroupId: "${this.group}", maxPollIntervalSecs: 60
         maxRequestSize: 1000000, partitions: 4
         consumer { session.timeout.ms: 6000, heartbeat.interval.ms: 500 }
         ${kafka} }`,
    );
  }

  /**
   * Writes the config of a run with numbered documents. Returns the name of its pipeline.
   * @param stages the stages of the pipeline
   * @param kafka further settings of the `kafka` block
   */
  writeNumbers(name: string, numDocs: number, { stages = '', kafka = '' } = {}): string {
    const pipeline = this.name(name);
    this.writeConfig(
      `connectors: [{ class: SequenceConnector, name: numbers, pipeline: "${pipeline}", numDocs: ${numDocs} }]
       pipelines: [{ name: "${pipeline}", stages: [${stages}] }]`,
      kafka,
    );
    return pipeline;
  }

  /** Starts a command in the folder. */
  start(...args: readonly string[]): HeadraceProcess {
    const started = new HeadraceProcess(args, this.folder);
    this.#processes.push(started);
    return started;
  }

  /** Runs a command to its end. */
  async run(...args: readonly string[]): Promise<HeadraceProcess> {
    const started = this.start(...args);
    await started.ended;
    return started;
  }

  /** Makes the destination refuse all documents. Returns a function that makes it accept them again. */
  refuseDocuments(onBlockedAccess: () => void): () => void {
    this.#onBlockedAccess = onBlockedAccess;
    return () => {
      this.#onBlockedAccess = undefined;
    };
  }

  /** The destination answers no request with documents before a promise resolves. */
  hold(until: Promise<void>, onRequest?: () => void): void {
    this.#held = until;
    this.#onHeld = onRequest;
  }

  /** Returns the documents that have arrived, and removes them from the list. */
  takeIndexed(): Indexed[] {
    return this.indexed.splice(0);
  }

  get distinct(): number {
    return new Set(this.indexed.map(({ id }) => id)).size;
  }
}

/** Returns documents without their run id, in an order that depends only on their content. */
export function sorted(documents: readonly Indexed[]): string[] {
  return documents.map(({ run_id: _, ...rest }) => JSON.stringify(rest)).sort();
}

/** Returns the ids that occur more than once. */
export function repeated(documents: readonly Indexed[]): string[] {
  const seen = new Set<string>();
  return documents.flatMap(({ id }) => {
    if (seen.has(id)) return [id];
    seen.add(id);
    return [];
  });
}
