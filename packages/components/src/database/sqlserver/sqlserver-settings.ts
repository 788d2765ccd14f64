import { maxValueBytes } from '@headrace/engine';
import { DatabaseUrlError, type SqlServerUrl } from '@headrace/languages/java/sql';
import type mssql from 'mssql';
import { readFileSync } from '../../local-files/local-files.ts';
import type { Credentials } from '../database.ts';

const DEFAULT_LOGIN_SECONDS = 30;
/** The largest even size that SQL Server accepts. */
const MAX_TEXT_SIZE = 2 ** 31 - 2;
/** The application name if the URL has none. */
const APP_NAME = 'headrace';

/**
 * Returns the settings for the driver `mssql` from the properties of a URL, named as in the JDBC drivers of Microsoft
 * and jTDS. Throws `DatabaseUrlError`.
 */
export function sqlServerSettings(url: SqlServerUrl, credentials: Credentials): mssql.config {
  const { properties } = url;
  const get = (name: string) => properties.get(name.toLowerCase());
  const ntlm = windowsDomain(url, credentials);
  const user = credentials.user.includes('\\')
    ? credentials.user.slice(credentials.user.indexOf('\\') + 1)
    : credentials.user;
  const { encrypt, trustServerCertificate } = encryption(url);
  const certificate = get('serverCertificate');
  return {
    server: url.host,
    ...(url.port === undefined ? {} : { port: url.port }),
    user,
    password: credentials.password,
    ...(ntlm === undefined ? {} : { domain: ntlm }),
    ...(url.database === undefined ? {} : { database: url.database }),
    connectionTimeout: (Number(get('loginTimeout')) || DEFAULT_LOGIN_SECONDS) * 1000,
    // Both drivers have no limit unless the URL sets one. The JDBC driver counts socketTimeout in milliseconds, jTDS
    // counts it in seconds.
    requestTimeout:
      Number(get('socketTimeout')) * (url.scheme === 'jtds' ? 1000 : 1) || Number(get('queryTimeout')) * 1000 || 0,
    arrayRowMode: true,
    pool: { max: 1, min: 0 },
    options: {
      encrypt,
      trustServerCertificate,
      appName: get('applicationName') ?? get('appName') ?? APP_NAME,
      ...(url.instance === undefined ? {} : { instanceName: url.instance }),
      ...(get('hostNameInCertificate') === undefined ? {} : { serverName: get('hostNameInCertificate') as string }),
      ...(certificate === undefined ? {} : { cryptoCredentialsDetails: { ca: readCertificate(certificate) } }),
      ...(get('applicationIntent')?.toLowerCase() === 'readonly' ? { readOnlyIntent: true } : {}),
      ...(get('multiSubnetFailover') === 'true' ? { multiSubnetFailover: true } : {}),
      // Dates and times without a zone are in the zone of this process, as with JDBC.
      useUTC: false,
      textsize: longestValue(),
    },
  };
}

/**
 * Returns the bytes of the longest value. The server cuts longer ones, which `requireWhole` refuses: otherwise the driver
 * would collect up to 2 GB. The number is even, so that no character of two bytes is cut.
 */
export function longestValue(): number {
  return Math.min(MAX_TEXT_SIZE, 2 * Math.floor(maxValueBytes() / 2));
}

function encryption({ scheme, properties }: SqlServerUrl): { encrypt: boolean; trustServerCertificate: boolean } {
  if (scheme === 'jtds') {
    const ssl = properties.get('ssl')?.toLowerCase() ?? 'off';
    return { encrypt: ssl !== 'off', trustServerCertificate: ssl !== 'authenticate' };
  }
  // Since version 10, the driver of Microsoft encrypts by default.
  const encrypt = properties.get('encrypt')?.toLowerCase() ?? 'true';
  return {
    encrypt: encrypt !== 'false' && encrypt !== 'no' && encrypt !== 'optional',
    trustServerCertificate: properties.get('trustservercertificate')?.toLowerCase() === 'true',
  };
}

/** Returns the Windows domain for the login, or undefined for a login of SQL Server itself. */
function windowsDomain({ scheme, properties }: SqlServerUrl, { user, password }: Credentials): string | undefined {
  const authentication = properties.get('authentication')?.toLowerCase() ?? 'notspecified';
  if (authentication !== 'notspecified' && authentication !== 'sqlpassword') {
    throw new DatabaseUrlError(
      `authentication=${properties.get('authentication')} is not supported`,
      'Use a login of SQL Server, or NTLM: integratedSecurity=true;authenticationScheme=NTLM;domain=…',
    );
  }
  const domain = properties.get('domain') ?? (user.includes('\\') ? user.slice(0, user.indexOf('\\')) : undefined);
  if (scheme === 'jtds') return domain;
  if (properties.get('integratedsecurity')?.toLowerCase() !== 'true') return undefined;
  const ntlm = properties.get('authenticationscheme')?.toUpperCase() === 'NTLM';
  if (ntlm && user !== '' && password !== '') return domain ?? '';
  throw new DatabaseUrlError(
    'integratedSecurity works with NTLM and a password only',
    'Add authenticationScheme=NTLM;domain=… and set jdbcUser and jdbcPassword.',
  );
}

function readCertificate(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new DatabaseUrlError(
      `serverCertificate in the URL names a file that cannot be read: ${(error as Error).message}`,
      'Name a PEM file.',
    );
  }
}
