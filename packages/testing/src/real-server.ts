import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, it } from 'vitest';

/** The folder of the launchers of real servers. */
const LAUNCHERS = fileURLToPath(new URL('../../../tests/servers/', import.meta.url));

/** The first use of a server installs it, which may take minutes. */
const START_TIMEOUT_MS = 15 * 60_000;
const STOP_TIMEOUT_MS = 2 * 60_000;

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
  | 's3'
  | 'sftp'
  | 'solr'
  | 'weaviate';

/** A running server. Use it only inside tests and hooks. */
export interface RealServer {
  /** The URL that the launcher prints. */
  readonly url: string;
  /** Stops the server and keeps its data, for tests of lost connections. Throws for a server from the environment. */
  stop(): Promise<void>;
  /** Starts the server again after `stop`, at the same address. */
  start(): Promise<void>;
}

/**
 * Defines tests with a real server. The server is started once for them, on free ports and with a separate data
 * directory. It is removed at the end, even if the test process is killed. An environment variable `<NAME>_URL`
 * (`OPENSEARCH_URL`) names a running server to use instead; for that case, use unique names of indices, tables and
 * topics. In continuous integration the server starts before its tests are defined. If it cannot start there (no Maven,
 * no user namespaces), its tests are skipped with the reason in their name.
 *
 * @param settings variables for the launcher, such as `OPENSEARCH_HEAP`; the head of each launcher lists them
 */
export async function describeWithServer(
  name: ServerName,
  define: (server: RealServer) => void,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const given = process.env[`${name.toUpperCase()}_URL`];
  const server = new LaunchedServer(name, settings);
  const early = given === undefined && process.env.CI === 'true';
  const reason = early ? await server.tryToLaunch() : undefined;
  // Tests with restarts and lost connections may fail on a busy machine, so they are retried.
  describe(`with a real server (${name})`, { retry: 2 }, () => {
    if (given !== undefined) return define(new GivenServer(given));
    if (reason !== undefined) return it.skip(`does not start here: ${reason}`);
    if (!early) beforeAll(() => server.launch(), START_TIMEOUT_MS);
    afterAll(() => server.wipe(), STOP_TIMEOUT_MS);
    return define(server);
  });
}

class GivenServer implements RealServer {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  stop(): Promise<void> {
    throw new Error(`${this.url} is from the environment: a test can stop only the servers that it has started`);
  }

  start(): Promise<void> {
    return this.stop();
  }
}

class LaunchedServer implements RealServer {
  readonly #launcher: string;
  readonly #name: ServerName;
  readonly #settings: Readonly<Record<string, string>>;
  #environment: NodeJS.ProcessEnv = process.env;
  #folder: string | undefined;
  #guard: ChildProcess | undefined;
  #address: string | undefined;

  constructor(name: ServerName, settings: Readonly<Record<string, string>>) {
    this.#launcher = join(LAUNCHERS, name);
    this.#name = name;
    this.#settings = settings;
  }

  get url(): string {
    if (this.#address === undefined) throw new Error(`${this.#name} runs only inside tests and hooks`);
    return this.#address;
  }

  async launch(): Promise<void> {
    const variable = this.#name.toUpperCase();
    this.#folder = await mkdtemp(join(tmpdir(), `headrace-${this.#name}-`));
    this.#environment = {
      HEADRACE_SERVERS_WAIT: '300',
      // A server of a test runs for a minute: a Java server then uses less processor time if it compiles less.
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

  async start(): Promise<void> {
    const printed = await this.#run('start');
    this.#address = /^url: (.*)$/m.exec(printed)?.[1];
  }

  async stop(): Promise<void> {
    await this.#run('stop');
  }

  async wipe(): Promise<void> {
    if (this.#guard !== undefined) {
      const ended = once(this.#guard, 'exit');
      this.#guard.stdin?.end();
      await ended;
    }
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(command: string): Promise<string> {
    try {
      return (await promisify(execFile)(this.#launcher, [command], { env: this.#environment })).stdout;
    } catch (error) {
      throw new Error(`${this.#name} ${command} failed: ${(error as { stderr?: string }).stderr}`, { cause: error });
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

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
