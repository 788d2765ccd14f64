import { ApiError, type ClientOptions, HeadraceClient, type Output } from '@headrace/client';
import { connection, SILENCE_MILLIS } from './connection.svelte.ts';
import { fetchWithProgress } from './progress-fetch.ts';

/** The user name and password, or the token, from the sign-in page. */
export type Credentials = NonNullable<ClientOptions['auth']>;

export type Role = Output<'GET /v1/user'>['role'];

type State =
  | { readonly kind: 'loading' }
  | { readonly kind: 'signed-out'; readonly message: string }
  | { readonly kind: 'signed-in'; readonly user: string | null; readonly role: Role; readonly secured: boolean };

/** Credentials are kept for the tab, so that the page can be loaded again. Closing the tab removes them. */
const STORAGE_KEY = 'headrace.credentials';
const RANKS: Readonly<Record<Role, number>> = { reader: 0, operator: 1, admin: 2 };

class Session {
  #state = $state.raw<State>({ kind: 'loading' });
  #client = clientWith(stored());
  readonly #listeners = new Set<() => void>();

  get state(): State {
    return this.#state;
  }

  get client(): HeadraceClient {
    return this.#client;
  }

  /** Returns a client that reports how many bytes of a body it has sent. */
  uploader(onSent: (bytes: number) => void): HeadraceClient {
    return clientWith(stored(), fetchWithProgress(onSent));
  }

  /** The name of the user. Null if the service has no users, or no user is signed in. */
  get user(): string | null {
    return this.#state.kind === 'signed-in' ? this.#state.user : null;
  }

  /** Returns whether the user has a role, or one that includes it. */
  may(needed: Role): boolean {
    return this.#state.kind === 'signed-in' && RANKS[this.#state.role] >= RANKS[needed];
  }

  /** Requests the current user. Throws if the service does not answer. */
  async start(): Promise<void> {
    try {
      const { user, role, secured } = await this.#client.call('GET /v1/user');
      this.#state = { kind: 'signed-in', user, role, secured };
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
      this.expire('');
    }
  }

  /** Signs in. Throws if the service refuses the credentials. */
  async signIn(credentials: Credentials): Promise<void> {
    const client = clientWith(credentials);
    const { user, role, secured } = await client.call('GET /v1/user');
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(credentials));
    this.#client = client;
    this.#state = { kind: 'signed-in', user, role, secured };
  }

  signOut(): void {
    this.expire('You are signed out.');
  }

  /** Ends the session if the service no longer accepts its credentials. */
  refuse(client: HeadraceClient): void {
    if (this.#state.kind === 'signed-in' && client === this.#client)
      this.expire('Your session has ended. Sign in again.');
  }

  /** Adds a listener for the end of the session, before the page is removed. Returns a function that removes it. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the credentials, because the user signs out or the service no longer accepts them. */
  expire(message: string): void {
    for (const listener of [...this.#listeners]) listener();
    sessionStorage.removeItem(STORAGE_KEY);
    this.#client = clientWith(undefined);
    this.#state = { kind: 'signed-out', message };
  }
}

export const session = new Session();

function clientWith(auth: Credentials | undefined, transport?: typeof fetch): HeadraceClient {
  const send: typeof fetch = async (input, init) => {
    // A service that hangs accepts connections, but answers nothing. A preview or a check may take this long.
    const isSimple = (init?.method ?? 'GET') === 'GET';
    const timer = isSimple ? setTimeout(() => connection.reportLoss(), SILENCE_MILLIS) : undefined;
    try {
      // Without this option, the browser shows its own dialog for a password, and then adds the password to each
      // request.
      const response = await (transport ?? fetch)(input, { ...init, credentials: 'omit' });
      if (response.status === 401) session.refuse(transport === undefined ? client : session.client);
      return response;
    } catch (error) {
      // Also for requests that are sent again until they succeed, such as event streams.
      if (error instanceof TypeError) connection.reportLoss();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  const client = new HeadraceClient({
    url: window.location.origin,
    fetch: send,
    ...(auth === undefined ? {} : { auth }),
  });
  return client;
}

function stored(): Credentials | undefined {
  const text = sessionStorage.getItem(STORAGE_KEY);
  return text === null ? undefined : (JSON.parse(text) as Credentials);
}
