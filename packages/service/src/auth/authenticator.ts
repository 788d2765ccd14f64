import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors/api-error.ts';
import type { AuthSettings, Role, TokenSettings } from '../settings/service-settings.ts';
import { FailureDelay, login } from './failure-delay.ts';
import { matchesHash, type PasswordHash, parsePasswordHash } from './password-hash.ts';
import { tokenDigest } from './token.ts';
import { VerificationQueue } from './verification-queue.ts';

/** The user or token that sent a request. */
export interface User {
  name: string;
  role: Role;
}

interface KnownUser extends User {
  /** The keyed digest of a password in clear text in the service file. */
  digest?: Buffer;
  hash?: PasswordHash;
}

const SHARED = 'admin';
/** The name under which token failures are counted. It contains a NUL character, so no header can contain it. */
const TOKEN = '\u0000token';
/** The maximum number of stored digests of wrong credentials. */
const MAX_WRONG = 10_000;

/**
 * Identifies the sender of a request by name and password, or by token. Every comparison takes constant time. Wrong
 * logins never block a correct login, even from the same address or with the same name:
 * - A password in clear text, or one that this process has verified before, is looked up by a keyed digest. This takes
 *   microseconds and never waits.
 * - A password that is compared with a hash for the first time waits in the `VerificationQueue`. Each other address or
 *   user can delay it by at most one verification. Known wrong passwords do not enter the queue.
 *
 * Only the answers to wrong logins are delayed (`FailureDelay`).
 */
export class Authenticator {
  readonly #users = new Map<string, KnownUser>();
  readonly #anyName: boolean;
  readonly #shared: Buffer | undefined;
  readonly #delay: FailureDelay;
  /** The key of all digests, new in each process. Digests have equal length, so comparing them reveals nothing. */
  readonly #key = randomBytes(32);
  /**
   * The digests of verified names and passwords, at most one per user. Verifying a hash is slow on purpose, so each
   * login is verified only once.
   */
  readonly #verified = new Set<string>();
  readonly #wrong = new Set<string>();
  readonly #queue = new VerificationQueue();
  readonly #decoy: PasswordHash | undefined;
  readonly #tokens: readonly TokenSettings[];

  constructor({ password, users, tokens = [] }: AuthSettings, delay = new FailureDelay()) {
    this.#tokens = tokens;
    this.#delay = delay;
    this.#anyName = users.length === 0;
    this.#shared = password === undefined ? undefined : this.#digest(password);
    for (const { name, role, password: clear, passwordHash } of users) {
      const hash = passwordHash === undefined ? undefined : parsePasswordHash(passwordHash);
      this.#users.set(name, {
        name,
        role,
        ...(clear === undefined ? {} : { digest: this.#digest(clear) }),
        ...(hash === undefined ? {} : { hash }),
      });
    }
    this.#decoy = [...this.#users.values()].find((user) => user.hash !== undefined)?.hash;
  }

  /**
   * Returns the user that the header identifies, or undefined if the header is missing or wrong.
   * @param header the `Authorization` header
   * @param address the address of the client: after repeated failures, answers to its wrong logins are delayed
   */
  async authenticate(header = '', address: string): Promise<User | undefined> {
    const token = parseBearer(header);
    if (token !== undefined) return this.#ofToken(token, address);
    const credentials = parseBasic(header);
    if (credentials === undefined) return undefined;
    const user = await this.#verify(address, credentials.name, credentials.password);
    if (user === undefined) await this.#hold(address, credentials.name);
    else this.#delay.succeeded(address, credentials.name);
    return user;
  }

  get takesTokens(): boolean {
    return this.#tokens.length > 0;
  }

  /** Returns the user name in the header without checking the password, or undefined if no such user exists. */
  nameIn(header = ''): string | undefined {
    const name = parseBasic(header)?.name;
    return name !== undefined && this.#users.has(name) ? name : undefined;
  }

  /**
   * Returns the user of a token. A correct token never waits: tokens cannot be guessed, and a program with a wrong
   * token must not delay other programs at the same address.
   */
  async #ofToken(token: string, address: string): Promise<User | undefined> {
    const digest = Buffer.from(tokenDigest(token));
    // Compare with every token, so that the duration does not reveal which one matches.
    const [known] = this.#tokens.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256), digest));
    if (known === undefined) {
      await this.#hold(address, TOKEN);
      return undefined;
    }
    const { name, role, expires } = known;
    if (expires !== undefined && expires <= Date.now()) {
      throw new ApiError('HR_UNAUTHORIZED', `The token ${name} expired at ${new Date(expires).toISOString()}`, {
        hint: 'Create a new token (headrace token), and put its hash into the service file.',
      });
    }
    return { name, role };
  }

  /** Delays the answer to a failed attempt. Throws if too many answers are already delayed. */
  async #hold(address: string, name: string): Promise<void> {
    if (await this.#delay.failed(address, name)) return;
    throw new ApiError('HR_TOO_MANY_FAILURES', 'The login is wrong, and this address has sent too many wrong logins', {
      headers: { 'retry-after': '30' },
    });
  }

  async #verify(address: string, name: string, password: string): Promise<User | undefined> {
    const digest = this.#digest(password);
    if (this.#anyName) return matches(digest, this.#shared) ? { name, role: 'admin' } : undefined;
    const user = this.#users.get(name);
    if (user?.digest !== undefined) return matches(digest, user.digest) ? user : undefined;
    if (user === undefined && name === SHARED && matches(digest, this.#shared)) return { name, role: 'admin' };
    return (await this.#matchesHash(address, name, password, user?.hash)) ? user : undefined;
  }

  /** @param hash absent if the user does not exist; the comparison then takes the same time, to hide this */
  async #matchesHash(address: string, name: string, password: string, hash?: PasswordHash): Promise<boolean> {
    const decoy = this.#decoy;
    if (decoy === undefined) return false;
    const key = this.#digest(`${name}\u0000${password}`).toString('base64');
    if (this.#verified.has(key)) return true;
    if (this.#wrong.has(key)) return false;
    const lane = login(address, name);
    const matched =
      hash === undefined
        ? await this.#queue.pretend(lane, key, () => matchesHash(password, decoy).then(() => false))
        : await this.#queue.verify(lane, key, () => matchesHash(password, hash));
    if (matched === undefined) {
      throw new ApiError('HR_TOO_MANY_FAILURES', 'Too many logins of this user are waiting to be checked', {
        headers: { 'retry-after': '2' },
      });
    }
    (matched ? this.#verified : this.#wrong).add(key);
    const [oldest] = this.#wrong;
    if (this.#wrong.size > MAX_WRONG && oldest !== undefined) this.#wrong.delete(oldest);
    return matched;
  }

  #digest(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text.normalize('NFC')).digest();
  }
}

function matches(given: Buffer, wanted: Buffer | undefined): boolean {
  return wanted !== undefined && timingSafeEqual(given, wanted);
}

/** Returns the token of a bearer header (RFC 6750). */
function parseBearer(header: string): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header.trim())?.[1];
}

/**
 * Parses a basic authentication header. The user name may be empty. The password is everything after the first colon.
 */
function parseBasic(header: string): { name: string; password: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(header.trim()) ?? [];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { name: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
