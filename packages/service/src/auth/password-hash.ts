import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const LOG_N = 15;
const R = 8;
const P = 1;
const KEY_BYTES = 32;
const MAX_LOG_N = 20;

/** A scrypt hash in the PHC format: `$scrypt$ln=15,r=8,p=1$<salt>$<key>`, salt and key in base64 without padding. */
const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** The parsed parts of a hash. */
export interface PasswordHash {
  salt: Buffer;
  key: Buffer;
  options: ScryptOptions;
}

/** Returns the hash of a password for `passwordHash` of a user in the service file. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, KEY_BYTES, cost(LOG_N, R, P));
  return `$scrypt$ln=${LOG_N},r=${R},p=${P}$${unpadded(salt)}$${unpadded(key)}`;
}

/** Parses a hash. Returns undefined if the format is wrong or the hash would need more than 1 GiB of memory. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const [, logN, r, p, salt, key] = FORM.exec(text) ?? [];
  if (logN === undefined || salt === undefined || key === undefined) return undefined;
  const numbers = [Number(logN), Number(r), Number(p)] as const;
  if (numbers[0] < 1 || numbers[0] > MAX_LOG_N || numbers[1] < 1 || numbers[1] > 32 || numbers[2] < 1) return undefined;
  const parsed = { salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64'), options: cost(...numbers) };
  return parsed.key.length < 16 ? undefined : parsed;
}

/** Returns whether the password matches the hash. A wrong password takes the same time as a correct one. */
export async function matchesHash(password: string, { salt, key, options }: PasswordHash): Promise<boolean> {
  return timingSafeEqual(await derive(password, salt, key.length, options), key);
}

function cost(logN: number, r: number, p: number): ScryptOptions {
  const N = 2 ** logN;
  return { N, r, p, maxmem: 256 * N * r };
}

function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
