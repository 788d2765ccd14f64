import { homedir } from 'node:os';
import { DatabaseUrlError, type FindSimilar } from './database-url-error.ts';

/** The address of a server. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** A database server that is reached over the network. Keys of `properties` are in lower case. */
export interface ServerUrl {
  readonly kind: 'postgres' | 'mysql';
  /** The name after `jdbc:`, for example `mariadb`. Some defaults depend on it. */
  readonly scheme: string;
  /** The hosts in the order in which they are tried. */
  readonly hosts: readonly HostPort[];
  readonly database: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

export interface SqlServerUrl {
  readonly kind: 'sqlserver';
  readonly scheme: 'sqlserver' | 'jtds';
  readonly host: string;
  /** Undefined if the URL names an instance. The driver then asks the server for the port. */
  readonly port: number | undefined;
  readonly instance: string | undefined;
  readonly database: string | undefined;
  readonly properties: ReadonlyMap<string, string>;
}

export interface SqliteUrl {
  readonly kind: 'sqlite';
  /** A path, or `:memory:`. */
  readonly file: string;
  readonly readOnly: boolean;
  /** The H2 database that SQLite replaces. Its file is not changed, and the SQL differs. */
  readonly insteadOf: { readonly file: string | undefined } | undefined;
}

/** A parsed JDBC URL. */
export type DatabaseUrl = ServerUrl | SqlServerUrl | SqliteUrl;

const POSTGRES_PORT = 5432;
const REDSHIFT_PORT = 5439;
const MYSQL_PORT = 3306;
const SQL_SERVER_PORT = 1433;
/**
 * The modes in which the drivers of MySQL and MariaDB select a host. Here, the first host that answers is always used.
 */
const SEVERAL_HOSTS = /^(replication|loadbalance|load-balance|load-balance-read|failover|sequential):(?=\/\/)/i;

/**
 * Parses a JDBC URL by the rules of the JDBC driver of that database.
 * Throws `DatabaseUrlError`. Its message never quotes the URL, which may contain a password.
 * @param findSimilar finds the database that a misspelt URL means, for the hint of the error
 */
export function parseJdbcUrl(url: string, findSimilar?: FindSimilar): DatabaseUrl {
  const match = /^jdbc:([A-Za-z][\w+-]*):(.*)$/s.exec(url.trim());
  if (match === null) throw DatabaseUrlError.notJdbc(url.trim());
  const scheme = (match[1] as string).toLowerCase();
  const rest = match[2] as string;
  switch (scheme) {
    case 'postgresql':
      return serverUrl('postgres', scheme, rest, POSTGRES_PORT);
    case 'redshift':
      return serverUrl('postgres', scheme, rest, REDSHIFT_PORT);
    case 'mysql':
    case 'mariadb':
      return serverUrl('mysql', scheme, rest.replace(SEVERAL_HOSTS, ''), MYSQL_PORT);
    case 'sqlserver':
      return sqlServerUrl(rest);
    case 'jtds':
      return jtdsUrl(rest);
    case 'sqlite':
      return sqliteUrl(rest);
    case 'h2':
      return h2Url(rest);
    default:
      throw DatabaseUrlError.unsupported(scheme, findSimilar);
  }
}

/** Returns the URL for messages, without user, password and parameters. */
export function displayUrl(url: DatabaseUrl): string {
  if (url.kind === 'sqlite') return `sqlite:${url.file}`;
  const database = url.database === undefined ? '' : `/${url.database}`;
  if (url.kind === 'sqlserver') {
    const instance = url.instance === undefined ? '' : `\\${url.instance}`;
    return `sqlserver://${bracketed(url.host)}${instance}${url.port === undefined ? '' : `:${url.port}`}${database}`;
  }
  const hosts = url.hosts.map(({ host, port }) => `${bracketed(host)}:${port}`);
  return `${url.scheme}://${hosts.join(',')}${database}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function serverUrl(kind: ServerUrl['kind'], scheme: string, rest: string, defaultPort: number): ServerUrl {
  const [location, query] = splitOnce(rest, '?');
  const properties = queryProperties(query ?? '');
  if (!location.startsWith('//')) {
    // The short form of Postgres: `jdbc:postgresql:db` is a database on this machine.
    if (kind !== 'postgres' || location.includes(':')) throw unreadableHost(scheme);
    const database = decode(location.replace(/^\//, ''));
    return {
      kind,
      scheme,
      hosts: [{ host: 'localhost', port: defaultPort }],
      database: database || undefined,
      properties,
    };
  }
  const [authority, path = ''] = splitOnce(location.slice(2), '/');
  const at = authority.lastIndexOf('@');
  if (at >= 0) {
    const [user, password] = splitOnce(authority.slice(0, at), ':');
    if (!properties.has('user')) properties.set('user', decode(user));
    if (password !== undefined && !properties.has('password')) properties.set('password', decode(password));
  }
  const hosts = authority
    .slice(at + 1)
    // Commas inside the parentheses of a host do not separate hosts.
    .split(/,(?![^(]*\))/)
    .map((text) => (kind === 'mysql' ? describedHost(text, defaultPort) : undefined) ?? text)
    .map((host) => (typeof host === 'string' ? hostPort(host, 'localhost', defaultPort, scheme) : host));
  return { kind, scheme, hosts, database: decode(path) || undefined, properties };
}

function hostPort(text: string, defaultHost: string, defaultPort: number, scheme: string): HostPort {
  const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:()[\]\s]*))(?::(\d*))?$/.exec(text);
  if (match === null) throw unreadableHost(scheme);
  const [, ipv6, name, digits] = match;
  const port = digits === undefined || digits === '' ? defaultPort : Number(digits);
  if (port < 1 || port > 65_535) throw unreadableHost(scheme);
  return { host: ipv6 ?? (name || defaultHost), port };
}

/**
 * Reads another form of a host in MySQL and MariaDB: `address=(host=h)(port=3306)` or `(host=h,port=3306)`. Returns
 * undefined for other texts.
 */
function describedHost(text: string, defaultPort: number): HostPort | undefined {
  const described = /^(?:address=)?((?:\([^()]*\))+)$/i.exec(text.trim())?.[1];
  if (described === undefined) return undefined;
  const parts = described.slice(1, -1).split(/\)\(|,/);
  const known = new Map(
    parts.map((part) => {
      const [name, value = ''] = splitOnce(part, '=');
      return [name.trim().toLowerCase(), decode(value.trim())];
    }),
  );
  const port = Number(known.get('port') || defaultPort);
  if (!(Number.isInteger(port) && port >= 1 && port <= 65_535)) return undefined;
  return { host: known.get('host') || 'localhost', port };
}

function unreadableHost(scheme: string): DatabaseUrlError {
  return new DatabaseUrlError(
    'the host in the JDBC URL cannot be read',
    `Write jdbc:${scheme}://host:port/database; several hosts are separated by commas.`,
  );
}

/** Reads `a=b&c=d` and decodes it. If a key occurs twice, the last value is used. */
function queryProperties(query: string): Map<string, string> {
  const properties = new Map<string, string>();
  for (const part of query.split('&')) {
    if (part === '') continue;
    const [key, value = ''] = splitOnce(part, '=');
    properties.set(decode(key).toLowerCase(), decode(value));
  }
  return properties;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new DatabaseUrlError('a % in the JDBC URL is not followed by two hex digits', 'Write % itself as %25.');
  }
}

function sqlServerUrl(rest: string): SqlServerUrl {
  const [location, ...parts] = semicolonParts(rest);
  const properties = semicolonProperties(parts);
  const match = /^(?:\/\/([^;\\]*?)(?:\\([^:;]*))?(?::(\d+))?)?$/.exec((location ?? '').replace(/(?<=[^/])\/$/, ''));
  if (match === null) {
    throw new DatabaseUrlError(
      'the host in the JDBC URL cannot be read',
      'Write jdbc:sqlserver://host:port;databaseName=name or jdbc:sqlserver://host\\instance;databaseName=name.',
    );
  }
  const host = (match[1] || properties.get('servername') || properties.get('server') || 'localhost').replace(
    /^\[(.*)\]$/,
    '$1',
  );
  const instance = match[2] || properties.get('instancename');
  const port = match[3] ?? properties.get('portnumber') ?? properties.get('port');
  return {
    kind: 'sqlserver',
    scheme: 'sqlserver',
    host,
    port: port !== undefined ? Number(port) : instance === undefined ? SQL_SERVER_PORT : undefined,
    instance: port === undefined ? instance : undefined,
    database: properties.get('databasename') ?? properties.get('database'),
    properties,
  };
}

function jtdsUrl(rest: string): SqlServerUrl {
  const [location, ...parts] = semicolonParts(rest);
  const properties = semicolonProperties(parts);
  const match = /^sqlserver:\/\/([^:/;]+)(?::(\d+))?(?:\/(.*))?$/.exec(location ?? '');
  if (match === null) {
    if (location?.startsWith('sybase:')) throw DatabaseUrlError.unsupported('sybase');
    throw new DatabaseUrlError(
      'the host in the JDBC URL cannot be read',
      'Write jdbc:jtds:sqlserver://host:port/database.',
    );
  }
  const instance = properties.get('instance');
  return {
    kind: 'sqlserver',
    scheme: 'jtds',
    host: match[1] as string,
    port: match[2] !== undefined ? Number(match[2]) : instance === undefined ? SQL_SERVER_PORT : undefined,
    instance: match[2] === undefined ? instance : undefined,
    database: match[3] || properties.get('databasename'),
    properties,
  };
}

/** Splits at semicolons outside braces: `password={a;b}` is one part. */
function semicolonParts(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let braces = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '{' && text[i - 1] === '=') braces = true;
    else if (braces && c === '}') {
      // A doubled brace is part of the value.
      if (text[i + 1] === '}') i++;
      else braces = false;
    } else if (!braces && c === ';') {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function semicolonProperties(parts: readonly string[]): Map<string, string> {
  const properties = new Map<string, string>();
  for (const part of parts) {
    const [key, value = ''] = splitOnce(part, '=');
    if (key.trim() === '') continue;
    const braced = /^\{(.*)\}$/s.exec(value.trim());
    properties.set(key.trim().toLowerCase(), braced === null ? value : (braced[1] as string).replaceAll('}}', '}'));
  }
  return properties;
}

function sqliteUrl(rest: string): SqliteUrl {
  const [location, query = ''] = splitOnce(rest, '?');
  if (location.startsWith(':resource:')) {
    throw new DatabaseUrlError('a database inside a Java archive cannot be read', 'Write the path of the file.');
  }
  const file = location.replace(/^file:(\/\/(?=\/))?/, '');
  const properties = queryProperties(query);
  const memory = file === '' || file === ':memory:' || properties.get('mode') === 'memory';
  const readOnly = properties.get('mode') === 'ro' || properties.get('immutable') === '1';
  return { kind: 'sqlite', file: memory ? ':memory:' : file, readOnly, insteadOf: undefined };
}

function h2Url(rest: string): SqliteUrl {
  const [location = ''] = rest.split(';');
  if (/^mem:/i.test(location))
    return { kind: 'sqlite', file: ':memory:', readOnly: false, insteadOf: { file: undefined } };
  const server = /^(tcp|ssl|zip|split|nio|nioMapped|async|memFS|memLZF):/i.exec(location);
  const path = location.replace(/^file:/i, '').replace(/^~(?=\/)/, homedir());
  if (server !== null || path === '') {
    throw new DatabaseUrlError(
      `H2 databases of the form jdbc:h2:${server?.[0] ?? ''} cannot be read`,
      'Export the tables with H2 (CALL CSVWRITE) and read the files with CSVConnector, or copy them to one of the supported databases.',
    );
  }
  return { kind: 'sqlite', file: `${path}.sqlite`, readOnly: false, insteadOf: { file: `${path}.mv.db` } };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}
