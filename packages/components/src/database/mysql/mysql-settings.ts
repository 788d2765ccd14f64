import { userInfo } from 'node:os';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { DateZoneError, resolveZone } from '@headrace/languages/java/date';
import { DatabaseUrlError, processZone, type ServerUrl } from '@headrace/languages/java/sql';
import { readFileSync } from '../../local-files/local-files.ts';
import type { Credentials } from '../database.ts';

/** The settings of a connection to MySQL or MariaDB. */
export interface MysqlSettings {
  readonly user: string;
  readonly password: string;
  readonly database: string | undefined;
  /** The TLS options in the order in which they are tried. False means no TLS. */
  readonly tls: readonly (TlsOptions | false)[];
  readonly connectTimeoutMs: number;
  /** The maximum time without data from the server during a request, in milliseconds. 0 means no limit. */
  readonly silenceTimeoutMs: number;
  /** The zone of dates and times without an offset. */
  readonly zone: string;
  /** Whether TINYINT(1) is read as a boolean. */
  readonly tinyIsBoolean: boolean;
  /** Whether YEAR is read as the first of January. */
  readonly yearIsDate: boolean;
  /** The variables of the session, such as `sql_mode='…'`. */
  readonly sessionVariables: string | undefined;
  /** How long the server waits for a slow reader of rows, in seconds. Undefined leaves the setting of the server. */
  readonly writeTimeoutSeconds: number | undefined;
}

const DEFAULT_CONNECT_MILLIS = 10_000;
/** Pipelines pause for minutes, for example until a destination is back. The default of servers is one minute. */
const DEFAULT_WRITE_SECONDS = 24 * 60 * 60;

/**
 * Returns the settings from the parameters of a URL, named as in the JDBC drivers of MySQL and MariaDB. Throws
 * `DatabaseUrlError`.
 */
export function mysqlSettings({ scheme, database, properties }: ServerUrl, credentials: Credentials): MysqlSettings {
  const zone =
    properties.get('connectiontimezone') ?? properties.get('servertimezone') ?? properties.get('timezone') ?? 'LOCAL';
  return {
    user: credentials.user || userInfo().username,
    password: credentials.password,
    database,
    tls: tlsChoices(scheme, properties),
    connectTimeoutMs: Number(properties.get('connecttimeout')) || DEFAULT_CONNECT_MILLIS,
    silenceTimeoutMs: Number(properties.get('sockettimeout')) || 0,
    zone: zoneOf(zone),
    tinyIsBoolean: properties.get('tinyint1isbit') !== 'false',
    yearIsDate: properties.get('yearisdatetype') !== 'false',
    sessionVariables: properties.get('sessionvariables'),
    writeTimeoutSeconds: writeTimeout(properties),
  };
}

/** As in Connector/J, 0 leaves the setting of the server. */
function writeTimeout(properties: ReadonlyMap<string, string>): number | undefined {
  if (/\bnet_write_timeout\b/i.test(properties.get('sessionvariables') ?? '')) return undefined;
  const given = properties.get('nettimeoutforstreamingresults');
  if (given === undefined) return DEFAULT_WRITE_SECONDS;
  if (!/^\d{1,8}$/.test(given)) {
    throw new DatabaseUrlError(
      `netTimeoutForStreamingResults in the URL is not a number of seconds: ${given}`,
      'Use a whole number, such as 600. 0 leaves net_write_timeout of the server.',
    );
  }
  return Number(given) || undefined;
}

function zoneOf(name: string): string {
  if (/^(LOCAL|SERVER|auto|disable)$/i.test(name)) return processZone();
  try {
    return resolveZone(name).id;
  } catch (error) {
    if (!(error instanceof DateZoneError)) throw error;
    throw new DatabaseUrlError(
      `the time zone in the URL is not known: ${name}`,
      'Use a region such as Europe/Paris, or UTC.',
    );
  }
}

function tlsChoices(scheme: string, properties: ReadonlyMap<string, string>): (TlsOptions | false)[] {
  for (const name of ['trustcertificatekeystoreurl', 'truststore', 'clientcertificatekeystoreurl', 'keystore']) {
    if (!properties.has(name)) continue;
    throw new DatabaseUrlError(
      `Java key stores (${name}) cannot be read`,
      'Use certificates in PEM files: serverSslCert=/path/ca.pem, clientSslCert and clientSslKey.',
    );
  }
  const read = (name: string) => {
    const path = properties.get(name.toLowerCase());
    return path === undefined ? undefined : readPem(path, name);
  };
  const [ca, cert, key] = [read('serverSslCert'), read('clientSslCert'), read('clientSslKey')];
  const own = { ...(cert === undefined ? {} : { cert }), ...(key === undefined ? {} : { key }) };
  const unverified: TlsOptions = { ...own, rejectUnauthorized: false };
  const verified: TlsOptions = { ...own, ...(ca === undefined ? {} : { ca }), rejectUnauthorized: true };
  const anyHost: TlsOptions = { ...verified, checkServerIdentity: () => undefined };
  switch (modeOf(scheme, properties)) {
    case 'disabled':
    case 'disable':
    case 'false':
      return [false];
    case 'preferred':
      return [unverified, false];
    case 'required':
    case 'trust':
      return [unverified];
    case 'verify_ca':
    case 'verify-ca':
      return [anyHost];
    case 'verify_identity':
    case 'verify-full':
    case 'true':
      return [verified];
    default:
      throw new DatabaseUrlError(
        'the sslMode in the URL is not known',
        'Use one of DISABLED, PREFERRED, REQUIRED, VERIFY_CA and VERIFY_IDENTITY.',
      );
  }
}

function modeOf(scheme: string, properties: ReadonlyMap<string, string>): string {
  const mode = properties.get('sslmode')?.toLowerCase();
  if (mode !== undefined) return mode;
  const useSsl = properties.get('usessl')?.toLowerCase();
  if (useSsl === 'false') return 'disabled';
  if (properties.get('verifyservercertificate') === 'true') return 'verify_ca';
  if (properties.get('requiressl') === 'true') return 'required';
  if (useSsl === 'true')
    return scheme === 'mariadb' && properties.get('trustservercertificate') !== 'true' ? 'true' : 'required';
  // Without a setting, the JDBC driver of MySQL uses TLS if the server supports it. The driver of MariaDB does not.
  return scheme === 'mariadb' ? 'disable' : 'preferred';
}

function readPem(path: string, parameter: string): Buffer {
  try {
    return readFileSync(path.replace(/^file:(\/\/)?/, ''));
  } catch (error) {
    throw new DatabaseUrlError(
      `${parameter} in the URL names a file that cannot be read: ${(error as Error).message}`,
      'Check the path and the rights to read it.',
    );
  }
}
