import { ApiError, type ClientOptions, HeadraceClient, type Output } from '@headrace/client';
import { connection, SILENCE_MILLIS } from './connection.svelte.ts';

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

  get state(): State {
    return this.#state;
  }

  get client(): HeadraceClient {
    return this.#client;
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

  /** Forgets the credentials, because the user signs out or the service no longer accepts them. */
  expire(message: string): void {
    sessionStorage.removeItem(STORAGE_KEY);
    this.#client = clientWith(undefined);
    this.#state = { kind: 'signed-out', message };
  }
}

export const session = new Session();

function clientWith(auth: Credentials | undefined): HeadraceClient {
  const send: typeof fetch = async (input, init) => {
    // A service that hangs accepts connections, but answers nothing. A preview or a check may take this long.
    const isSimple = (init?.method ?? 'GET') === 'GET';
    const timer = isSimple ? setTimeout(() => connection.reportLoss(), SILENCE_MILLIS) : undefined;
    try {
      // Without this option, the browser shows its own dialog for a password, and then adds the password to each
      // request.
      return await fetch(input, { ...init, credentials: 'omit' });
    } catch (error) {
      // Also for requests that are sent again until they succeed, such as event streams.
      if (error instanceof TypeError) connection.reportLoss();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  return new HeadraceClient({ url: window.location.origin, fetch: send, ...(auth === undefined ? {} : { auth }) });
}

function stored(): Credentials | undefined {
  const text = sessionStorage.getItem(STORAGE_KEY);
  return text === null ? undefined : (JSON.parse(text) as Credentials);
}
