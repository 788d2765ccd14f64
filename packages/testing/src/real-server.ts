import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { LaunchedServer, type LauncherSettings, type ServerName } from './launched-server.ts';
import { askForServer, type SharedServer } from './shared-servers.ts';

/** The first use of a server installs it, which may take minutes. */
const START_TIMEOUT_MS = 15 * 60_000;
const STOP_TIMEOUT_MS = 2 * 60_000;

/** A running server. Use it only inside tests and hooks. */
export interface RealServer {
  readonly url: string;
  /** The core or collection of Solr for these tests. The URL of other servers names the database of these tests. */
  readonly database: string;
}

/** A server that only one test file uses. */
export interface OwnServer extends RealServer {
  /** Stops the server and keeps its data, for tests of lost connections. */
  stop(): Promise<void>;
  /** Starts the server again after `stop`, at the same address. */
  start(): Promise<void>;
}

/**
 * Defines tests with a real server that other test files use at the same time. So use unique names of indices, topics
 * and groups, and change no setting of the whole server. Each call gets a new database (Postgres, MariaDB) or core
 * (Solr). Tests that stop or restart their server need `describeWithOwnServer`.
 *
 * An environment variable `<NAME>_URL` (`OPENSEARCH_URL`) names a running server to use instead. In continuous
 * integration the server starts before its tests are defined. If it cannot start there (no Maven, no user namespaces),
 * its tests are skipped with the reason in their name.
 *
 * @param settings variables for the launcher. Tests with other settings use another server.
 */
export async function describeWithServer(
  name: ServerName,
  define: (server: RealServer) => void,
  settings: LauncherSettings = {},
): Promise<void> {
  const given = process.env[`${name.toUpperCase()}_URL`];
  let shared: SharedServer | undefined = given === undefined ? undefined : { url: given };
  const ask = async () => {
    shared ??= await askForServer(inject('sharedServers'), { name, settings });
  };
  const reason = isEarly ? await reasonOf(ask()) : undefined;
  const used = () => {
    if (shared === undefined) throw new Error(`${name} runs only inside tests and hooks`);
    return shared;
  };
  describeServer(name, reason, () => {
    beforeAll(ask, START_TIMEOUT_MS);
    define({
      get url() {
        return used().url;
      },
      get database() {
        return used().database ?? 'quickstart';
      },
    });
  });
}

/**
 * Defines tests with a separate real server, which they may stop. It is removed at the end, even if the test process is
 * killed. A start takes up to 20 seconds of processor time: prefer `describeWithServer`.
 */
export async function describeWithOwnServer(
  name: ServerName,
  define: (server: OwnServer) => void,
  settings: LauncherSettings = {},
): Promise<void> {
  const server = new LaunchedServer(name, settings);
  const reason = isEarly ? await server.tryToLaunch() : undefined;
  describeServer(name, reason, () => {
    if (!isEarly) beforeAll(() => server.launch(), START_TIMEOUT_MS);
    afterAll(() => server.wipe(), STOP_TIMEOUT_MS);
    define({
      get url() {
        return server.url;
      },
      database: 'quickstart',
      start: () => server.start(),
      stop: () => server.stop(),
    });
  });
}

/**
 * Defines tests that continuous integration skips. Unlike those of a skipped suite, their servers do not start there.
 * @param reason the name of the skipped test
 */
export async function describeOutsideCi(reason: string, define: () => Promise<void>): Promise<void> {
  if (isEarly) it.skip(reason);
  else await define();
}

const isEarly = process.env.CI === 'true';

function describeServer(name: ServerName, reason: string | undefined, define: () => void): void {
  // Tests with restarts and lost connections may fail on a busy machine, so they are retried.
  describe(`with a real server (${name})`, { retry: 2 }, () => {
    if (reason === undefined) define();
    else it.skip(`does not start here: ${reason}`);
  });
}

async function reasonOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
