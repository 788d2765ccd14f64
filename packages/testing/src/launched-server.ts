import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isFree } from './closed-port.ts';

/** The folder of the launchers of real servers. */
const LAUNCHERS = fileURLToPath(new URL('../../../tests/servers/', import.meta.url));

/** The ports of servers are below the range of outgoing connections, so that no connection takes one of them. */
const FIRST_PORT = 20_000;
const PORTS = 8_000;
/** The offsets of further ports that the launchers use: transport, controller, ZooKeeper, cluster. */
const NEIGHBOURS = [0, 1, 100, 1000, 1001, 1002, 1003];

export type ServerName =
  | 'azurite'
  | 'elasticsearch'
  | 'gcs'
  | 'kafka'
  | 'mariadb'
  | 'opensearch'
  | 'postgres'
  | 'qdrant'
  | 'redis'
  | 's3'
  | 'sftp'
  | 'solr'
  | 'tika'
  | 'weaviate';

/** Variables for the launcher of a server, such as `OPENSEARCH_HEAP`. The head of each launcher lists them. */
export type LauncherSettings = Readonly<Record<string, string>>;

/**
 * A real server on free ports, with a separate data directory. It is removed when the process that launched it ends,
 * even if that process is killed.
 */
export class LaunchedServer {
  readonly #launcher: string;
  readonly #name: ServerName;
  readonly #settings: LauncherSettings;
  #environment: NodeJS.ProcessEnv = process.env;
  #folder: string | undefined;
  #guard: ChildProcess | undefined;
  #address: string | undefined;

  constructor(name: ServerName, settings: LauncherSettings = {}) {
    this.#launcher = join(LAUNCHERS, name);
    this.#name = name;
    this.#settings = settings;
  }

  /** The URL that the launcher prints. */
  get url(): string {
    if (this.#address === undefined) throw new Error(`${this.#name} runs only inside tests and hooks`);
    return this.#address;
  }

  async launch(): Promise<void> {
    const variable = this.#name.toUpperCase();
    this.#folder = await mkdtemp(join(tmpdir(), `headrace-${this.#name}-`));
    this.#environment = {
      HEADRACE_SERVERS_WAIT: '300',
      // A server of a test runs for minutes: a Java server then uses less processor time if it compiles less.
      [`${variable}_TIER`]: '1',
      ...process.env,
      ...this.#settings,
      [`${variable}_PORT`]: String(await freePort()),
      [`${variable}_DATA`]: join(this.#folder, 'data'),
    };
    // The server has no parent process, but this shell does: it removes the server when its standard input ends for any
    // reason.
    this.#guard = spawn('sh', ['-c', 'cat; exec "$0" wipe', this.#launcher], {
      detached: true,
      env: this.#environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await this.start();
  }

  /** Launches the server. Returns the reason if it does not start. */
  async tryToLaunch(): Promise<string | undefined> {
    try {
      await this.launch();
      return undefined;
    } catch (error) {
      await this.wipe();
      return (error as Error).message.trim();
    }
  }

  /** Starts the server again after `stop`, at the same address. */
  async start(): Promise<void> {
    const printed = await this.run('start');
    this.#address = /^url: (.*)$/m.exec(printed)?.[1];
  }

  /** Stops the server and keeps its data. */
  async stop(): Promise<void> {
    await this.run('stop');
  }

  /** Stops the server and removes its data. */
  async wipe(): Promise<void> {
    if (this.#guard !== undefined) {
      const ended = once(this.#guard, 'exit');
      this.#guard.stdin?.end();
      await ended;
    }
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  /** Runs a command of the launcher. Returns what it prints. */
  async run(...command: readonly string[]): Promise<string> {
    try {
      return (await promisify(execFile)(this.#launcher, command, { env: this.#environment })).stdout;
    } catch (error) {
      const { stderr } = error as { stderr?: string };
      throw new Error(`${this.#name} ${command.join(' ')} failed: ${stderr}`, { cause: error });
    }
  }
}

/** Returns a random port that is free, with its neighbours, so that concurrent test files use different ports. */
async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    const free = await Promise.all(NEIGHBOURS.map((distance) => isFree(port + distance)));
    if (free.every((is) => is)) return port;
  }
  throw new Error(`No free port from ${FIRST_PORT} to ${FIRST_PORT + PORTS}`);
}
