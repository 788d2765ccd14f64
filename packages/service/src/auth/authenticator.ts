import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors/api-error.ts';
import type { AuthSettings, Role, TokenSettings } from '../settings/service-settings.ts';
import { FailureDelay, login } from './failure-delay.ts';
import { matchesHash, type PasswordHash, parsePasswordHash } from './password-hash.ts';
import { tokenDigest } from './token.ts';
import { VerificationQueue } from './verification-queue.ts';

/** Who sent a request. */
export interface User {
  name: string;
  role: Role;
}

interface KnownUser extends User {
  /** The keyed digest of a password that the service file has in clear. */
  digest?: Buffer;
  hash?: PasswordHash;
}

const SHARED = 'admin';
/** Stands for a name where a token was sent: no header can have this one. */
const TOKEN = '\u0000token';
/** Wrong credentials that are remembered, by their digest. */
const MAX_WRONG = 10_000;

/**
 * Decides by a name and a password, or by a token, who sends a request. Every comparison takes constant time.
 *
 * Right credentials get in at any time, however many wrong ones come from the same address or for the same name:
 * - A password that the service file has in clear, and one that was verified before in this process, is looked up by a
 *   keyed digest, which takes microseconds. Nothing comes before that.
 * - A password that is compared with a hash for the first time waits for its turn (`VerificationQueue`), which other
 *   addresses and other users cannot delay by more than one verification each. Wrong ones that come again are known.
 * Only after a try has proved wrong, its answer waits (`FailureDelay`).
 */
export class Authenticator {
  readonly #users = new Map<string, KnownUser>();
  readonly #anyName: boolean;
  readonly #shared: Buffer | undefined;
  readonly #delay: FailureDelay;
  /** Digests are keyed anew in each process, and of equal length: neither they nor their comparison tell anything. */
  readonly #key = randomBytes(32);
  /** A hash takes long to verify on purpose. Digests of names and passwords that were right: one for each user at most. */
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
   * Who the header names; undefined without one, or with a wrong one.
   * @param header `Authorization`
   * @param address where the request comes from: after repeated failures, answers to its wrong tries wait
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

  /** The user whom credentials name, whether they are right or not; undefined when there is nobody of that name. */
  nameIn(header = ''): string | undefined {
    const name = parseBasic(header)?.name;
    return name !== undefined && this.#users.has(name) ? name : undefined;
  }

  /** A right token never waits: it cannot be guessed, and a program with a wrong one must not hold up its neighbours. */
  async #ofToken(token: string, address: string): Promise<User | undefined> {
    const digest = Buffer.from(tokenDigest(token));
    // Compared with every one: how long it takes tells nothing.
    const [known] = this.#tokens.filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256), digest));
    if (known === undefined) {
      await this.#hold(address, TOKEN);
      return undefined;
    }
    const { name, role, expires } = known;
    if (expires !== undefined && expires <= Date.now()) {
      throw new ApiError('HR_UNAUTHORIZED', `The token ${name} expired at ${new Date(expires).toISOString()}`, {
        hint: 'Make a new one (headrace token), and put its hash into the service file.',
      });
    }
    return { name, role };
  }

  /** Lets a try that has failed wait for its answer. */
  async #hold(address: string, name: string): Promise<void> {
    if (await this.#delay.failed(address, name)) return;
    throw new ApiError('HR_TOO_MANY_FAILURES', 'This login is wrong, and too many wrong ones came from this address', {
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

  /** @param hash absent: nobody has the name, and it takes as long to say so */
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
      throw new ApiError('HR_TOO_MANY_FAILURES', 'Too many logins as this user wait for their turn', {
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

/** A token as OAuth 2 sends one (RFC 6750). */
function parseBearer(header: string): string | undefined {
  return /^bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(header.trim())?.[1];
}

/** The user name may be empty; the password is all that follows the first colon. */
function parseBasic(header: string): { name: string; password: string } | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(header.trim()) ?? [];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { name: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
