import type { Storage } from '@google-cloud/storage';
import { allowedPath } from '@headrace/engine';
import { type Agents, openAgents } from '../../http/agents.ts';
import type { GcpSettings } from '../storage-parameters.ts';

/* In a room of its own: what talks to servers is loaded with the storage that needs it, not with those that read files. */

/** Where Google Cloud Storage is, and who we are there, as Google's library finds it out. */
export class GcsLogin {
  readonly #library: Storage;
  readonly #agents: Agents;
  #anonymous: boolean;
  /** Why we are nobody. */
  #reason: Error | undefined;

  private constructor(library: Storage, agents: Agents, anonymous: boolean) {
    this.#library = library;
    this.#agents = agents;
    this.#anonymous = anonymous;
  }

  static async open(library: typeof import('@google-cloud/storage'), settings: GcpSettings): Promise<GcsLogin> {
    const { pathToServiceKey, endpoint } = settings;
    const agents = await openAgents(settings);
    const hasKey = pathToServiceKey !== '';
    const storage = new library.Storage({
      // Without a key the library looks for the credentials of the machine.
      ...(hasKey ? { keyFilename: allowedPath(pathToServiceKey, 'read') } : {}),
      ...(endpoint === undefined ? {} : { apiEndpoint: endpoint }),
      clientOptions: {
        transporterOptions: { agent: ({ protocol }) => (protocol === 'https:' ? agents.https : agents.http) },
      },
    });
    // A server of one's own knows nothing of Google's accounts.
    return new GcsLogin(storage, agents, storage.customEndpoint && !hasKey);
  }

  /** @param path below the API, with its slash */
  url(path: string): string {
    return this.#library.baseUrl + path;
  }

  /** The headers of a request. Who has no credentials is nobody, and may read what is public. */
  async headers(): Promise<Record<string, string>> {
    if (this.#anonymous) return {};
    try {
      return Object.fromEntries(await this.#library.authClient.getRequestHeaders());
    } catch (error) {
      if (!(error as Error).message.includes('Could not load the default credentials')) throw error;
      this.#reason = error as Error;
      this.#anonymous = true;
      return {};
    }
  }

  /** Throws why we are nobody when that was not enough. */
  explain(status: number): void {
    if (status === 401 && this.#reason !== undefined) throw this.#reason;
  }

  close(): void {
    this.#agents.destroy();
  }
}
