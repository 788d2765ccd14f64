import type { Storage } from '@google-cloud/storage';
import { allowedPath } from '@headrace/engine';
import { type Agents, openAgents } from '../../http/agents.ts';
import type { GcpSettings } from '../storage-parameters.ts';

/**
 * Separate from the storage, because modules that connect to servers are loaded only with the storage that needs them.
 */

/** The URL of Google Cloud Storage and the credentials, as Google's library determines them. */
export class GcsLogin {
  readonly #library: Storage;
  readonly #agents: Agents;
  #anonymous: boolean;
  readonly #payer: Readonly<Record<string, string>>;
  /** The reason why there are no credentials. */
  #reason: Error | undefined;

  private constructor(library: Storage, agents: Agents, anonymous: boolean, userProject: string | undefined) {
    this.#library = library;
    this.#agents = agents;
    this.#anonymous = anonymous;
    // With this header, the project pays for a request to a bucket with requester pays.
    this.#payer = userProject === undefined ? {} : { 'x-goog-user-project': userProject };
  }

  static async open(library: typeof import('@google-cloud/storage'), settings: GcpSettings): Promise<GcsLogin> {
    const { pathToServiceKey, endpoint, anonymous, userProject } = settings;
    const agents = await openAgents(settings);
    const hasKey = pathToServiceKey !== '';
    const storage = new library.Storage({
      // Without a key file, the library looks for the credentials of the machine.
      ...(hasKey ? { keyFilename: allowedPath(pathToServiceKey, 'read') } : {}),
      ...(endpoint === undefined ? {} : { apiEndpoint: endpoint }),
      clientOptions: {
        transporterOptions: { agent: ({ protocol }) => (protocol === 'https:' ? agents.https : agents.http) },
      },
    });
    // A private server with a custom endpoint has no Google accounts.
    return new GcsLogin(storage, agents, anonymous || (storage.customEndpoint && !hasKey), userProject);
  }

  /**
   * Returns the URL of an API path.
   * @param path the path below the API, with its leading slash
   */
  url(path: string): string {
    return this.#library.baseUrl + path;
  }

  /** The headers of a request. Without credentials it is anonymous and may read public files. */
  async headers(): Promise<Record<string, string>> {
    if (this.#anonymous) return { ...this.#payer };
    try {
      return { ...Object.fromEntries(await this.#library.authClient.getRequestHeaders()), ...this.#payer };
    } catch (error) {
      if (!(error as Error).message.includes('Could not load the default credentials')) throw error;
      this.#reason = error as Error;
      this.#anonymous = true;
      return { ...this.#payer };
    }
  }

  /** Throws the reason for the missing credentials if the server required some. */
  explain(status: number): void {
    if (status === 401 && this.#reason !== undefined) throw this.#reason;
  }

  close(): void {
    this.#agents.destroy();
  }
}
