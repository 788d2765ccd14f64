import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { LaunchedServer, type LauncherSettings, type ServerName } from './launched-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of the shared servers, from `tests/setup/shared-servers.ts`. */
    sharedServers: number;
  }
}

/** Servers whose launcher creates databases: cores or collections of Solr, databases of the others. */
const WITH_DATABASES: readonly ServerName[] = ['mariadb', 'postgres', 'solr'];

interface Request {
  readonly name: ServerName;
  readonly settings: LauncherSettings;
}

/** A shared server, as one test file sees it. */
export interface SharedServer {
  readonly url: string;
  /** The name of a database, core or collection that no other test file uses. The server may have none. */
  readonly database?: string;
}

type Answer = SharedServer | { readonly reason: string };

/**
 * The real servers that test files share. The main process of Vitest holds them: each is started when the first file
 * asks for it, and all are removed at the end of the test run.
 */
export class SharedServers {
  readonly #listener: Server;
  readonly #servers = new Map<
    string,
    { readonly server: LaunchedServer; readonly reason: Promise<string | undefined> }
  >();
  #databases = 0;

  private constructor() {
    this.#listener = createServer((socket) => void this.#serve(socket));
  }

  static async listen(): Promise<SharedServers> {
    const servers = new SharedServers();
    servers.#listener.listen(0, '127.0.0.1');
    await once(servers.#listener, 'listening');
    return servers;
  }

  /** The port for `askForServer`. */
  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#listener.close();
    await Promise.all(
      Array.from(this.#servers.values(), async ({ server, reason }) => {
        if ((await reason) === undefined) await server.wipe();
      }),
    );
  }

  async #serve(socket: Socket): Promise<void> {
    // A test file that was killed does not read its answer.
    socket.on('error', () => undefined);
    const [line] = await once(createInterface(socket), 'line');
    const answer = await this.#answer(JSON.parse(line) as Request).catch(
      ({ message }: Error): Answer => ({ reason: message }),
    );
    socket.end(JSON.stringify(answer));
  }

  async #answer({ name, settings }: Request): Promise<Answer> {
    const key = JSON.stringify([name, settings]);
    let shared = this.#servers.get(key);
    if (shared === undefined) {
      const server = new LaunchedServer(name, settings);
      shared = { server, reason: server.tryToLaunch() };
      this.#servers.set(key, shared);
    }
    const reason = await shared.reason;
    if (reason !== undefined) return { reason };
    const { server } = shared;
    if (!WITH_DATABASES.includes(name)) return { url: server.url };
    const database = `hr_${++this.#databases}`;
    await server.run('create', database);
    // The URL of Solr has no core, and those of the other servers end with the database of the launcher.
    return { url: name === 'solr' ? server.url : server.url.replace(/[^/]+$/, database), database };
  }
}

/** Returns a shared server, which is started if needed. Throws with the reason if it does not start. */
export async function askForServer(port: number, request: Request): Promise<SharedServer> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${JSON.stringify(request)}\n`);
  const answer = JSON.parse(await text(socket)) as Answer;
  if ('reason' in answer) throw new Error(answer.reason);
  return answer;
}
