import { parsePasswordHash } from '../auth/password-hash.ts';
import { MIN_TOKEN_LENGTH, parseTokenHash, tokenDigest } from '../auth/token.ts';
import type { Role, ServiceSettings, TokenSettings, UserSettings } from '../settings/service-settings.ts';
import { parseDate } from '../time/clock.ts';
import type { Entry, YamlReader } from './yaml-reader.ts';

const ROLES: readonly Role[] = ['reader', 'operator', 'admin'];

/** Reads `auth`, which is a block or the word `none`. Returns undefined if the file does not contain it. */
export function readAuth(reader: YamlReader, auth: Entry | undefined): ServiceSettings['auth'] {
  if (auth === undefined) return undefined;
  if (reader.plainText(auth) === 'none') return 'none';
  const keys = reader.map(auth, ['type', 'enabled', 'password', 'users', 'tokens']);
  const type = reader.choice(keys.get('type'), ['basicAuth']);
  const password = reader.text(keys.get('password'));
  const users = reader.list(keys.get('users')).flatMap((entry) => readUser(reader, entry) ?? []);
  const tokens = reader.list(keys.get('tokens')).flatMap((entry) => readToken(reader, entry) ?? []);
  if (reader.flag(keys.get('enabled')) === false) return 'none';
  const passwords = keys.has('password') || keys.has('users');
  if (!keys.has('type') && (passwords || !keys.has('tokens'))) {
    reader.error(auth, 'auth is enabled and has no type', 'Add type: basicAuth.');
  }
  if (!passwords && !keys.has('tokens') && type !== undefined) {
    reader.error(auth, 'auth is enabled but has no users', 'Add password: …, users: [ … ] or tokens: [ … ].');
  }
  for (const key of ['users', 'tokens']) checkNames(reader, key, reader.list(keys.get(key)));
  return { users, tokens, ...(password === undefined ? {} : { password }) };
}

/** Reports names that occur twice, also in entries with other problems. */
function checkNames(reader: YamlReader, key: string, entries: readonly Entry[]): void {
  const names = new Set<string>();
  for (const entry of entries) {
    const place = reader.member(entry, 'name');
    const name = place === undefined ? undefined : reader.plainText(place);
    if (place === undefined || name === undefined) continue;
    if (names.has(name)) reader.error(place, `There are two ${key} ${name}`);
    names.add(name);
  }
}

function readUser(reader: YamlReader, entry: Entry): UserSettings | undefined {
  const keys = reader.map(entry, ['name', 'password', 'passwordHash', 'role']);
  if (!reader.isMap(entry)) return undefined;
  const place = keys.get('name');
  const name = reader.text(place);
  if (place !== undefined && name?.includes(':')) {
    reader.error(
      place,
      `${place.path} has a colon: this user could not log in`,
      'Basic authentication ends the name there.',
    );
  }
  const password = reader.text(keys.get('password'));
  const hash = keys.get('passwordHash');
  const passwordHash = reader.text(hash);
  const role = reader.choice(keys.get('role'), ROLES);
  for (const key of ['name', 'role']) if (!keys.has(key)) reader.error(entry, `${entry.path} has no ${key}`);
  if ((password === undefined) === (passwordHash === undefined)) {
    reader.error(entry, `${entry.path} needs either password or passwordHash`);
  }
  if (hash !== undefined && passwordHash !== undefined && parsePasswordHash(passwordHash) === undefined) {
    reader.error(hash, `${hash.path} is not a scrypt hash`, 'Its form is $scrypt$ln=15,r=8,p=1$<salt>$<key>.');
  }
  if (name === undefined || role === undefined) return undefined;
  return {
    name,
    role,
    ...(password === undefined ? {} : { password }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
}

function readToken(reader: YamlReader, entry: Entry): TokenSettings | undefined {
  const keys = reader.map(entry, ['name', 'token', 'tokenHash', 'role', 'expires']);
  if (!reader.isMap(entry)) return undefined;
  const name = reader.text(keys.get('name'));
  const token = keys.get('token');
  const hash = keys.get('tokenHash');
  const clear = reader.text(token);
  const hashed = reader.text(hash);
  const role = reader.choice(keys.get('role'), ROLES);
  const until = keys.get('expires');
  const expires = reader.text(until);
  for (const key of ['name', 'role']) if (!keys.has(key)) reader.error(entry, `${entry.path} has no ${key}`);
  if ((clear === undefined) === (hashed === undefined)) {
    reader.error(entry, `${entry.path} needs either token or tokenHash`, 'headrace token makes both.');
  }
  if (token !== undefined && clear !== undefined && clear.length < MIN_TOKEN_LENGTH) {
    reader.error(token, `${token.path} is shorter than ${MIN_TOKEN_LENGTH} characters`, 'headrace token makes one.');
  }
  const sha256 = clear === undefined ? parseTokenHash(hashed ?? '') : tokenDigest(clear);
  if (hash !== undefined && hashed !== undefined && sha256 === undefined) {
    reader.error(hash, `${hash.path} is not the hash of a token`, 'Its form is sha256: and 64 hexadecimal digits.');
  }
  const end = expires === undefined ? undefined : parseDate(expires);
  if (until !== undefined && end !== undefined && Number.isNaN(end)) {
    reader.error(until, `${until.path} is not a date`, 'Write it as 2027-06-30 or 2027-06-30T18:00:00Z.');
  }
  if (name === undefined || role === undefined || sha256 === undefined) return undefined;
  return { name, role, sha256, ...(end === undefined ? {} : { expires: end }) };
}
