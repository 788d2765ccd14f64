import { createPrivateKey } from 'node:crypto';
import { userInfo } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { DatabaseUrlError, processZone, type ServerUrl } from '@headrace/languages/java/sql';
import { readFileSync } from '../../local-files/local-files.ts';
import type { Credentials } from '../database.ts';

/** The settings of a connection to Postgres. */
export interface PostgresSettings {
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** The TLS options in the order in which they are tried. False means no TLS. */
  readonly tls: readonly (ConnectionOptions | false)[];
  readonly connectTimeoutMs: number;
  /** The maximum time without data from the server during a request, in milliseconds. 0 means no limit. */
  readonly silenceTimeoutMs: number;
  /** The parameters of the session, sent at the login, as the JDBC driver does. */
  readonly session: Readonly<Record<string, string>>;
  /** Whether prepared statements are reused. They cannot be reused with a pooler that changes the session. */
  readonly keepPrepared: boolean;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** Returns the settings from the parameters of a URL, named as in the JDBC driver. Throws `DatabaseUrlError`. */
export function postgresSettings({ database, properties }: ServerUrl, credentials: Credentials): PostgresSettings {
  const user = credentials.user || userInfo().username;
  const currentSchema = properties.get('currentschema');
  const options = properties.get('options');
  return {
    user,
    password: credentials.password,
    database: database ?? user,
    tls: tlsChoices(properties),
    connectTimeoutMs:
      seconds(properties, 'connecttimeout') ?? seconds(properties, 'logintimeout') ?? DEFAULT_TIMEOUT_SECONDS * 1000,
    silenceTimeoutMs: seconds(properties, 'sockettimeout') ?? 0,
    session: {
      application_name: properties.get('applicationname') ?? 'headrace',
      // Numbers have all digits, dates have one form, and times are in the zone of this process.
      extra_float_digits: '3',
      DateStyle: 'ISO',
      TimeZone: processZone(),
      ...(currentSchema === undefined ? {} : { search_path: currentSchema }),
      ...(options === undefined ? {} : { options }),
    },
    keepPrepared: properties.get('preparethreshold') !== '0',
  };
}

function seconds(properties: ReadonlyMap<string, string>, name: string): number | undefined {
  const value = Number(properties.get(name));
  return value > 0 ? value * 1000 : undefined;
}

function tlsChoices(properties: ReadonlyMap<string, string>): (ConnectionOptions | false)[] {
  const ssl = properties.get('ssl');
  const mode =
    properties.get('sslmode')?.toLowerCase() ?? (ssl === undefined || ssl === 'false' ? 'prefer' : 'verify-full');
  const anything = properties.get('sslfactory')?.endsWith('NonValidatingFactory') === true;
  const own = clientCertificate(properties);
  const rootFile = properties.get('sslrootcert');
  const ca = rootFile === undefined ? {} : { ca: readPem(rootFile, 'sslrootcert') };
  const unverified: ConnectionOptions = { ...own, rejectUnauthorized: false };
  const verified: ConnectionOptions = { ...own, ...ca, rejectUnauthorized: true };
  const anyHost: ConnectionOptions = { ...verified, checkServerIdentity: () => undefined };
  switch (mode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, unverified];
    case 'prefer':
      return [unverified, false];
    case 'require':
      return [rootFile === undefined || anything ? unverified : anyHost];
    case 'verify-ca':
      return [anything ? unverified : anyHost];
    case 'verify-full':
      return [anything ? unverified : verified];
    default:
      throw new DatabaseUrlError(
        `sslmode ${mode} is not known`,
        'Use one of disable, allow, prefer, require, verify-ca and verify-full.',
      );
  }
}

function clientCertificate(properties: ReadonlyMap<string, string>): ConnectionOptions {
  const certFile = properties.get('sslcert');
  const keyFile = properties.get('sslkey');
  if (keyFile === undefined) return {};
  const passphrase = properties.get('sslpassword');
  if (/\.(p12|pfx)$/i.test(keyFile)) {
    return { pfx: readPem(keyFile, 'sslkey'), ...(passphrase === undefined ? {} : { passphrase }) };
  }
  const bytes = readPem(keyFile, 'sslkey');
  // The JDBC driver expects the key in DER. Other tools write PEM, so both are accepted.
  const key = bytes.includes('-----BEGIN')
    ? bytes
    : createPrivateKey({
        key: bytes,
        format: 'der',
        type: 'pkcs8',
        ...(passphrase === undefined ? {} : { passphrase }),
      }).export({ format: 'pem', type: 'pkcs8' });
  return {
    key,
    ...(certFile === undefined ? {} : { cert: readPem(certFile, 'sslcert') }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

function readPem(path: string, parameter: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new DatabaseUrlError(
      `${parameter} in the URL names a file that cannot be read: ${(error as Error).message}`,
      'Check the path and the rights to read it.',
    );
  }
}
