import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refusal } from '../errors/refusal.ts';
import type { AuthSettings, Role, TokenSettings } from '../service-file/service-settings.ts';
import { FailureDelay } from './failure-delay.ts';
import { matchesHash, type PasswordHash, parsePasswordHash } from './password-hash.ts';
import { tokenDigest } from './token.ts';

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
const MAX_REMEMBERED = 1000;

/** Decides by a name and a password, or by a token, who sends a request. Every comparison takes constant time. */
export class Authenticator {
  readonly #users = new Map<string, KnownUser>();
  readonly #anyName: boolean;
  readonly #shared: Buffer | undefined;
  readonly #delay: FailureDelay;
  /** Digests are keyed anew in each process, and of equal length: neither they nor their comparison tell anything. */
  readonly #key = randomBytes(32);
  /** A hash takes long to verify on purpose: credentials that were right are remembered, by their digest. */
  readonly #verified = new Map<string, User>();
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
   * @param address where the request comes from: tries that fail repeatedly make its next ones wait, and those for the name
   */
  async authenticate(header = '', address: string): Promise<User | undefined> {
    const token = parseBearer(header);
    if (token !== undefined) return this.#ofToken(token, address);
    const credentials = parseBasic(header);
    if (credentials === undefined) return undefined;
    await this.#waitTurn(address, credentials.name);
    const user = await this.#verify(credentials.name, credentials.password);
    if (user === undefined) this.#delay.failed(address, credentials.name);
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
      await this.#waitTurn(address, TOKEN);
      this.#delay.failed(address, TOKEN);
      return undefined;
    }
    const { name, role, expires } = known;
    if (expires !== undefined && expires <= Date.now()) {
      throw new Refusal('HR_UNAUTHORIZED', `The token ${name} expired at ${new Date(expires).toISOString()}`, {
        hint: 'Make a new one (headrace token), and put its hash into the service file.',
      });
    }
    return { name, role };
  }

  async #waitTurn(address: string, name: string): Promise<void> {
    if (await this.#delay.waitTurn(address, name)) return;
    throw new Refusal('HR_TOO_MANY_FAILURES', 'Too many tries from this address are waiting', {
      headers: { 'retry-after': '30' },
    });
  }

  async #verify(name: string, password: string): Promise<User | undefined> {
    const remembered = this.#digest(`${name}\u0000${password}`).toString('base64');
    const known = this.#verified.get(remembered);
    if (known !== undefined) return known;
    const user = await this.#check(name, password);
    if (user === undefined) return undefined;
    if (this.#verified.size >= MAX_REMEMBERED) this.#verified.clear();
    this.#verified.set(remembered, user);
    return user;
  }

  async #check(name: string, password: string): Promise<User | undefined> {
    const digest = this.#digest(password);
    if (this.#anyName) return matches(digest, this.#shared) ? { name, role: 'admin' } : undefined;
    const user = this.#users.get(name);
    if (user?.hash !== undefined) return (await matchesHash(password, user.hash)) ? user : undefined;
    if (user !== undefined) return matches(digest, user.digest) ? user : undefined;
    if (name === SHARED && matches(digest, this.#shared)) return { name, role: 'admin' };
    // A name that nobody has takes as long as one that somebody has.
    if (this.#decoy !== undefined) await matchesHash(password, this.#decoy);
    return undefined;
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
